"""Checks cards (the answers of a reader about sentences), and makes edits, statuses and scores of them."""
