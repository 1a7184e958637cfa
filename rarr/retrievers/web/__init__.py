"""Searches Wikipedia, Tavily and SearXNG for passages, and stores their answers in a cache on disk."""
