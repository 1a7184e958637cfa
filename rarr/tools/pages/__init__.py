"""Renders HTML pages: the template environment, the frame of a page, its style and its macros."""
