"""Extracts the text of files and pages, in processes with limits of time and memory."""
