"""Finds and compares values, such as numbers and dates, and writes one value in the form of another."""
