"""Puts citations into a text, and checks the citations that it has."""
