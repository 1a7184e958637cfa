"""Finds the language of a text."""

import math
import re
from functools import cache
from typing import TYPE_CHECKING

from rarr.tools.text.blocks_and_sentences import protected

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SURELY = 4.0  # log odds against English above which a text is in another language
_LEAST = 1e-9  # a probability of 0 has no logarithm


def language_of(text: str) -> str:
    """Finds the code of the language of `text`, such as `de`; "en" if it is English or may well be.

    Capitalised words do not count, which are often names, nor does what stands in code and links.
    """
    excluded = protected(text, 0, len(text))
    words = [
        word[0]
        for word in _WORD.finditer(text)
        if word[0][0].islower() and not any(span.start <= word.start() < span.end for span in excluded)
    ]
    if not words:
        return "en"
    ranked = dict(_identifier().rank(" ".join(words)))
    english = ranked.pop("en", 0.0) + ranked.pop("zxx", 0.0)  # zxx: no language, such as code and numbers
    other = max(ranked, key=lambda code: ranked[code])
    odds = math.log(ranked[other] + _LEAST) - math.log(english + _LEAST)
    return other if odds > _SURELY else "en"


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # unpacking its model takes half a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
