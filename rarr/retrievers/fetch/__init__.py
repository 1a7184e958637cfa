"""Pages from the web, fetched from public addresses alone, as robots.txt allows."""
