"""Finds sentences and passages that are not in English, the only language that the embedded models read.

Names and titles are left out: they say nothing about the language of their sentence. The language of the
whole text counts as well, so that a few foreign words do not make a sentence of an English text foreign. In a
short sentence the first word counts too, if it is an article of another language.
"""

import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rarr.tools.text.blocks_and_sentences import Span, protected, sentences

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# What is quoted or emphasised, as titles are.
_TITLE = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|(?<!\w)([*_])(?!\1)[^*_\n]{1,80}\1(?!\w)")
_SURELY = 4.0  # log odds against English above which a text is in another language
_LIKELY = 2.0  # the same for a sentence that begins with an article of another language
_ARTICLES = {
    **dict.fromkeys(("der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "im"), "de"),
    **dict.fromkeys(("le", "les", "un", "une"), "fr"),
    **dict.fromkeys(("el", "los", "las", "una"), "es"),
    **dict.fromkeys(("il", "lo", "gli"), "it"),
    **dict.fromkeys(("het", "een"), "nl"),
}
"""Articles that begin a sentence, by language. Articles that begin many names, such as "la", are left out."""
_ENGLISH_WORDS = {
    *("the", "of", "and", "is", "are", "were", "has", "have", "with", "by", "for", "from", "to", "at", "on"),
    *("that", "which", "it", "its"),
}
_ENGLISH = ("en", "zxx")  # zxx: what is in no language, such as code and numbers
_LEAST = 1e-9  # a probability of 0 has no logarithm


class _Odds(NamedTuple):
    """The log odds that a text is in English, and the likeliest other language."""

    english: float
    other: str


@lru_cache(maxsize=64)  # texts: every step of a run looks at the same one
def foreign_sentences(text: str) -> Mapping[Span, str]:
    """Finds the sentences of `text` that are not in English, with the code of their language, such as `de`.

    In a text that is not in English as a whole, every sentence is foreign that does not look English.
    """
    words = {span: _words(text, span) for span in sentences(text)}
    whole = _odds(" ".join(words.values()))
    odds = {
        span: _odds(sentence_words) if sentence_words else whole for span, sentence_words in words.items()
    }
    if whole.english < -_SURELY:
        return {span: whole.other for span, sentence_odds in odds.items() if sentence_odds.english < 0}
    return {
        span: code
        for span, sentence_odds in odds.items()
        if (code := _language(span.of(text), words[span], sentence_odds))
    }


@lru_cache(maxsize=2048)  # passages: each is judged beside several sentences
def foreign_language(passage: str) -> str:
    """Finds the code of the language of `passage`, such as `de`; "" if it is English or may well be."""
    words = _words(passage, Span(0, len(passage)))
    return _language(passage, words, _odds(words))


def _language(sentence: str, words: str, odds: _Odds) -> str:
    """Returns the code of the language, judged by `odds`, those of `words`; "" if it may well be English."""
    if odds.english < -_SURELY:
        return odds.other
    if odds.english > -_LIKELY or not _ENGLISH_WORDS.isdisjoint(words.split()):
        return ""
    first = _WORD.search(sentence)
    return _ARTICLES.get(first[0].casefold(), "") if first else ""


def _words(text: str, span: Span) -> str:
    """Joins the words at `span` that begin with a small letter, without those in code, links and titles."""
    titles = (Span(*match.span()) for match in _TITLE.finditer(text, *span))
    exclusions = [*protected(text, *span), *titles]
    return " ".join(
        word[0]
        for word in _WORD.finditer(text, *span)
        if not word[0][0].isupper()
        and not any(Span(*word.span()).overlaps(excluded) for excluded in exclusions)
    )


@lru_cache(maxsize=4096)  # sentences: each edited text has the other sentences of the text before it
def _odds(words: str) -> _Odds:
    if not words:
        return _Odds(0.0, "")
    ranked = dict(_identifier().rank(words))
    english = sum(ranked.pop(code, 0.0) for code in _ENGLISH)
    other = max(ranked, key=lambda code: ranked[code])
    return _Odds(math.log(english + _LEAST) - math.log(ranked[other] + _LEAST), other)


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # unpacking its model takes half a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
