"""What all pages of HTML share: the template environment, the frame of a page, its style and its macros."""
