"""Searches Wikipedia, Tavily and SearXNG for passages, and caches their answers."""
