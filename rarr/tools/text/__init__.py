"""Texts: blocks, sentences, differences, HTML and wording."""
