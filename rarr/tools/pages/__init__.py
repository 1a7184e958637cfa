"""Renders HTML pages by templates. Has the frame, the style and the macros that all pages share."""
