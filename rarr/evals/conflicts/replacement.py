"""Finds the type of a short answer, and replaces an answer in a passage so that it still reads well."""

import re
from collections.abc import Iterable, Sequence

from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.phrases import phrases
from rarr.backends.embedded.values import compare, values
from rarr.evals.conflicts.question_rows import AnswerType
from rarr.tools.text.blocks_and_sentences import split_sentences

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|eu|one\b|u[A-Z])[aeiou]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3  # letters of a word that names something alone
_POSSESSIVE = re.compile(r"['’](?!\w)")
_MOST_NAME_WORDS = 5
_BEFORE_VALUE = re.compile(r"(?:\b(?:on|in|at|the|about|around)\b|\W)*", re.IGNORECASE)
_ASKED: dict[AnswerType, re.Pattern[str]] = {
    "person": re.compile(r"^\W*(?:\w+\s+){0,3}?(?:who|whose|whom)\b", re.IGNORECASE),
    "location": re.compile(
        r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?(?:city|country|state|town|river|island|county)\b",
        re.IGNORECASE,
    ),
    "organization": re.compile(
        r"\b(?:which|what)\s+(?:\w+\s+)?(?:company|band|team|club|party|university|bank)\b", re.IGNORECASE
    ),
}


def answer_type(answer: str, question: str) -> AnswerType | None:
    """Returns the type of an answer to a question; None if it is of no type, or if the type is not clear.

    A date or number must be all of the answer. The type of a name is told by the question.
    """
    found = values(answer)
    if found:
        rest = answer[: found[0].start] + answer[found[-1].end :]
        if len(found) > 1 or not _BEFORE_VALUE.fullmatch(rest) or found[0].kind == "identifier":
            return None
        return "date" if found[0].kind in ("date", "time") else "number"
    words = answer.split()
    if not 0 < len(words) <= _MOST_NAME_WORDS or not (words[0][0].isupper() and words[-1][0].isupper()):
        return None
    return next((kind for kind, asked in _ASKED.items() if asked.search(question)), None)


def contains(text: str, words: str) -> bool:
    """Do the words stand in the text, as whole words and in whatever case?"""
    return re.search(_place([words]), text, re.IGNORECASE) is not None


def replaced(text: str, variants: Sequence[str], new: str) -> str | None:
    """Replaces each variant of an answer by `new`, the longest first; None if there was nothing to replace.

    Only whole words are replaced, in whatever case. A possessive stays, and "a" and "an" fit the new words. A
    variant inside a longer name, such as Washington in Washington Post, is another name and stays.
    """
    names = [
        (span.start + name.start, span.start + name.end)
        for span in split_sentences(text)
        for name in phrases(span.of(text))
        if name.items[0].is_name
    ]
    pieces, end = list[str](), 0
    for match in re.finditer(_place(variants), text, re.IGNORECASE):
        if any(
            start <= match.start() and match.end() <= last and match.span() != (start, last)
            for start, last in names
        ):
            continue
        before = _with_article(text[end : match.start()], match[0], new)
        after = match.end()
        pieces += [before, new]
        if mark := _POSSESSIVE.match(text, after) if match[0].endswith("s") else None:
            pieces.append(mark[0] if new.endswith("s") else f"{mark[0]}s")
            after = mark.end()
        end = after
    return "".join([*pieces, text[end:]]) if end else None


def part_of_answer(text: str, variants: Sequence[str]) -> str:
    """Returns a word or a value in `text` that names an answer or a part of it; empty if there is none.

    Mexico does so in New Mexico, Mexican for Mexico, and "41.5 ft" for "12.65 m". A reader that finds it may
    take it for the answer, and would seem to answer from memory.
    """
    parts = {word.casefold() for variant in variants for word in distinctive_words(variant)}
    for match in _WORD.finditer(text):
        word = match[0]
        same = (word.casefold().startswith(part[: max(_SHORTEST, len(part) - 1)]) for part in parts)
        if word[0].isupper() and any(same):
            return word
    known = [value for variant in variants for value in values(variant)]
    stated = (it.text for it in values(text) if any(compare(value, it) == "equal" for value in known))
    return next(stated, "")


def distinctive_words(answer: str) -> list[str]:
    """Returns the capitalised words of an answer that belong to no value."""
    words = [answer[item.start : item.end] for item in items_of(answer) if not item.value]
    return [word for word in words if len(word) >= _SHORTEST and word[0].isupper()]


def _place(variants: Iterable[str]) -> str:
    longest_first = sorted(set(variants), key=lambda variant: (-len(variant), variant))
    return rf"(?<!\w)(?<!\d[.,])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)(?![.,]\d)"


def _with_article(before: str, old: str, new: str) -> str:
    """Changes the article at the end of `before` if the new words need the other one."""
    article = _ARTICLE.search(before)
    if article is None or bool(_VOWEL.match(old)) == bool(_VOWEL.match(new)):
        return before
    first = article[1][0]
    return f"{before[: article.start()]}{first}{'n' if _VOWEL.match(new) else ''}{article[2]}"
