"""The rules that decide about edits and about the support of sentences."""
