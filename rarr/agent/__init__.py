"""The agent: settings, components, state, wiring, graph and the public calls."""
