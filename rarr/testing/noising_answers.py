"""Answers the prompts of training that summarize evidence and put errors into text, with rules."""

import re
from typing import Any

from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import word_tokens
from rarr.tools.text.blocks_and_sentences import split_sentences

_SENTENCES = 2  # of a summary, at most; one of each evidence
_PEOPLE = ("Edith Marlowe", "Conrad Vane")  # to replace names
_DIGITS = re.compile(r"\d+(?!.*\d)")
_OPPOSITES = {"north": "south", "south": "north", "east": "west", "west": "east", "largest": "smallest"}
_KINDS = {"date": "date", "number": "number", "name": "other", "term": "relation"}


def summarized(query: str, evidence: list[str]) -> str:
    """Joins at most two sentences, each of another evidence.

    Of an evidence it is the sentence with a value that shares most words with the query.
    """
    query_stems = {word.stem for word in word_tokens(query) if word.stem}
    best: list[str] = []
    for passage in evidence:
        text = re.sub(r"^# .*\n", "", passage)
        texts = [span.of(text) for span in split_sentences(text)]
        with_values = [text for text in texts if parsed_sentence(text).values]
        shared = {text: len(query_stems & {word.stem for word in word_tokens(text)}) for text in with_values}
        closest = max(with_values, key=lambda text: shared[text], default="")
        if closest and shared[closest] and closest not in best:
            best.append(closest)
    return " ".join(best[:_SENTENCES])


def errors(text: str) -> list[dict[str, Any]]:
    """Proposes one error: another date or number, or else another name or opposite; [] if it cannot."""
    for span in split_sentences(text):
        part = parsed_sentence(span.of(text))
        for value in sorted(
            part.values, key=lambda value: ("date", "number", "name", "term").index(value.kind)
        ):
            right = part.text[value.start : value.end]
            wrong = _other(value, right)
            if wrong and text.count(right) == 1:
                return [{"right": right, "wrong": wrong, "kind": _KINDS[value.kind]}]
    return []


def _other(value: Value, right: str) -> str:
    if value.kind in ("date", "number"):
        return _DIGITS.sub(lambda match: str(int(match[0]) + 3), right) if _DIGITS.search(right) else ""
    if value.kind == "name":
        return _PEOPLE[right == _PEOPLE[0]]
    return _OPPOSITES.get(right, "")
