"""Checks cards (answers of a reader about sentences). Makes edits, statuses and scores from the cards."""
