"""Fetches and reads pages from the web, only from public addresses and as robots.txt allows."""
