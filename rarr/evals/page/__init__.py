"""Prepares the values for the HTML page of an evaluation, whose templates lie here."""
