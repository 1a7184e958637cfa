"""Finds the words in which two texts differ."""

import re

from rarr.tools.text.blocks_and_sentences import Span

_HYPHENED = re.compile(r"[^\W\d_]-[^\W\d_]")


def difference(span: Span, text: str, new: str) -> tuple[Span, str]:
    """Cuts the replacement of `span` of a text by `new` to the words that differ."""
    old = span.of(text)
    most = min(len(old), len(new))
    left = next((at for at in range(most) if old[at] != new[at]), most)
    while left and (_inside_word(old, left) or _inside_word(new, left)):
        left -= 1
    most -= left
    right = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    while right and (_inside_word(old, len(old) - right) or _inside_word(new, len(new) - right)):
        right -= 1
    return Span(span.start + left, span.end - right), new[left : len(new) - right]


def _inside_word(text: str, at: int) -> bool:
    """Is the place between two characters of one word, which may have hyphens, or of one number?"""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if ord(before) >= 0x2E80 and ord(after) >= 0x2E80:  # scripts without spaces between words
        return False
    if _HYPHENED.match(text, at - 1) or _HYPHENED.match(text, at - 2):
        return True  # "non-binding" is one word
    in_number = (before.isdigit() and after in ".,'’") or (before in ".,'’" and after.isdigit())
    return in_number or (before.isalnum() and after.isalnum())
