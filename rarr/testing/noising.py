"""What the rules answer to the prompts of noising: sentences of the evidence, and other values in them."""

import re
from typing import Any

from rarr.backends.rules.sentence import sentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import tokens
from rarr.tools.text.document import split_sentences

_SENTENCES = 2  # of a summary, at most, one an evidence
_PEOPLE = ("Edith Marlowe", "Conrad Vane")  # in the place of names
_DIGITS = re.compile(r"\d+(?!.*\d)")
_OPPOSITES = {"north": "south", "south": "north", "east": "west", "west": "east", "largest": "smallest"}
_KINDS = {"date": "date", "number": "number", "name": "other", "term": "relation"}


def summarized(query: str, evidence: list[str]) -> str:
    """Of each evidence the sentence with a value that shares most words with the query."""
    asked = {word.stem for word in tokens(query) if word.stem}
    best: list[str] = []
    for said in evidence:
        text = re.sub(r"^# .*\n", "", said)
        spans = [one.of(text) for one in split_sentences(text)]
        told = [one for one in spans if sentence(one).values]
        shared = {one: len(asked & {word.stem for word in tokens(one)}) for one in told}
        found = max(told, key=lambda one: shared[one], default="")
        if found and shared[found] and found not in best:
            best.append(found)
    return " ".join(best[:_SENTENCES])


def errors(text: str) -> list[dict[str, Any]]:
    """One in the first sentence that has a value: another date or number, else another name or opposite."""
    for span in split_sentences(text):
        part = sentence(span.of(text))
        for value in sorted(part.values, key=lambda one: ("date", "number", "name", "term").index(one.kind)):
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
