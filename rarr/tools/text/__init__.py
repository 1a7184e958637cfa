"""Reads texts (blocks, sentences, tables, language), compares them, and words messages."""
