"""Search services on the web, and the cache of what they answered."""
