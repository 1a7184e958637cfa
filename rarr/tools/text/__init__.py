"""Texts: blocks, sentences, differences and wording."""
