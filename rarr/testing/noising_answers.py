"""Answers the prompts of training that summarize evidence and put errors into text, without a model."""

import re
from typing import Any

from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.phrases import Phrase, phrases
from rarr.tools.text.blocks_and_sentences import split_sentences

_SENTENCES = 2  # of a summary, at most; one of each evidence
_PERSON = "Edith Marlowe"  # to replace names
_DIGITS = re.compile(r"\d+(?!.*\d)")


def summarized(query: str, evidence: list[str]) -> str:
    """Joins at most two sentences, each of another evidence.

    Of an evidence it is the sentence with a value or name that shares most words with the query.
    """
    wanted = {item.stem for item in items_of(query) if item.stem}
    best: list[str] = []
    for passage in evidence:
        text = re.sub(r"^# .*\n", "", passage)
        told = [span.of(text) for span in split_sentences(text) if phrases(span.of(text))]
        shared = {each: len(wanted & {item.stem for item in items_of(each)}) for each in told}
        closest = max(told, key=lambda each: shared[each], default="")
        if closest and shared[closest] and closest not in best:
            best.append(closest)
    return " ".join(best[:_SENTENCES])


def errors(text: str) -> list[dict[str, Any]]:
    """Proposes one error: another date or number, or else another name; [] if it cannot."""
    for span in split_sentences(text):
        sentence = span.of(text)
        for phrase in sorted(phrases(sentence), key=lambda phrase: phrase.items[0].is_name):
            right = sentence[phrase.start : phrase.end]
            wrong = _other(phrase, right)
            if wrong and text.count(right) == 1:
                return [{"right": right, "wrong": wrong, "kind": _kind(phrase)}]
    return []


def _other(phrase: Phrase, right: str) -> str:
    if phrase.items[0].is_name:
        return _PERSON
    return _DIGITS.sub(lambda match: str(int(match[0]) + 3), right) if _DIGITS.search(right) else ""


def _kind(phrase: Phrase) -> str:
    value = phrase.items[0].value
    if value is None:
        return "other"
    return "date" if value.kind == "date" else "number"
