"""Guards against data from others: limits its bytes, and finds signs of injected instructions."""
