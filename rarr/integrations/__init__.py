"""Connects `rarr` to other libraries: chains and agents of LangChain, and agents that speak MCP."""
