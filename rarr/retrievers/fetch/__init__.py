"""Fetches pages from the web: only from public addresses, and only pages that robots.txt allows."""
