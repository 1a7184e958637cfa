"""Cards: what a reading gives, how code guards it, and what it makes of edits and statuses."""
