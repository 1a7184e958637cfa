"""Reads texts (blocks, sentences, tables, citations, language), compares texts, and writes messages."""
