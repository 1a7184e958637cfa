"""The embedded reader: compares sentences with sources by rules, without a language model or a download."""
