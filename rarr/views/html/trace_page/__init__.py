"""Prepares the values that the HTML templates of a run's page show, and holds the templates."""
