"""Finds statements that only announce an answer, such as "Here is what I found.", and state nothing."""

import re

_WORD = re.compile(r"[^\W_]+")
_NOTHING_STATED = {
    "a", "about", "all", "an", "and", "answer", "answers", "are", "as", "based", "below", "by", "can",
    "certainly", "course", "details", "facts", "find", "following", "follows", "for", "found", "from",
    "given", "here", "i", "in", "information", "is", "it", "know", "list", "me", "my", "now", "of",
    "on", "overview", "passages", "provided", "question", "s", "say", "sources", "summary", "sure",
    "tell", "that", "the", "these", "they", "this", "to", "was", "we", "were", "what", "which", "you",
    "your",
}  # fmt: skip
"""Words of which no sequence states anything about the world. There is no "no", "not" or "yes" among them."""


def announces(statement: str) -> bool:
    """Does the statement announce an answer, and state nothing that a source could confirm?"""
    return _NOTHING_STATED.issuperset(word.lower() for word in _WORD.findall(statement))
