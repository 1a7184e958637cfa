"""Scores an answer against a reference answer: values by rules, and everything else by a fitted head.

The head is a logistic regression over words in common and the cosine of the encoder's embeddings. It was
fitted on `train/handwritten` alone (`python -m benchmarks.answer_scores --fit`).
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from rarr.backends.encoder.model import Encoder
from rarr.backends.logistic import Logistic
from rarr.backends.rules.answer_overlap import (
    answer_words,
    containment,
    exact_match,
    longest_common_share,
    token_f1,
)
from rarr.backends.rules.values import checkable_values, same_value, value_extent

HEAD = Path(__file__).with_name("answer_score.json")


class ReferenceScore(NamedTuple):
    """The score of an answer by one reference, from 0 to 1. `by_rules`: rules decided, and no head."""

    score: float
    reason: str
    by_rules: bool


def reference_score(answer: str, reference: str, question: str | None, encoder: Encoder) -> ReferenceScore:
    """Scores an answer by one reference: equal words 1, another value 0, otherwise by the head."""
    if (ruled := ruled_score(answer, reference, question)) is not None:
        return ruled
    likely = head().probability(answer_features(answer, reference, question or "", encoder))
    return ReferenceScore(likely, "by the words in common and the embeddings", False)


def ruled_score(answer: str, reference: str, question: str | None) -> ReferenceScore | None:
    """Scores by the rules alone: equal words 1, another value 0; None if the rules cannot decide."""
    if exact_match(answer, reference):
        return ReferenceScore(1.0, "the same words", True)
    if other := other_value(answer, reference, question or ""):
        return ReferenceScore(0.0, other, True)
    return None


def other_value(answer: str, reference: str, question: str) -> str:
    """Tells which value of the reference has another value of its kind in the answer; "" if there is none.

    A value counts as missing only if the answer has a comparable value and no equal one. Names are compared
    by the head, because other forms of a name are common. Values of the question are not compared.
    """
    asked = checkable_values(question)
    given = [
        value for value in checkable_values(answer) if not any(same_value(value, each) for each in asked)
    ]
    for value in checkable_values(reference):
        compared = [same_value(value, other) for other in given]
        if value.kind != "name" and False in compared and True not in compared:
            other = given[compared.index(False)]
            return f"{answer[other.start : other.end]!r} is not {reference[value.start : value.end]!r}"
    return ""


def answer_features(answer: str, reference: str, question: str, encoder: Encoder) -> dict[str, float]:
    """Computes the features of the head, each from 0 to 1 (the cosine from -1).

    A number or date of the answer that equals one of the reference is compared in the words of the reference.
    """
    answer = in_words_of_reference(answer, reference)
    values, given = checkable_values(reference), checkable_values(answer)
    found = [any(same_value(value, other) for other in given) for value in values]
    one, other = encoder.embed([f"{question} {answer}", f"{question} {reference}"])
    last = answer_words(reference)[-1:]
    return {
        "token_f1": token_f1(answer, reference),
        "contained": containment(answer, reference),
        "in_order": longest_common_share(answer, reference),
        "last_word": float(bool(last) and last[0] in answer_words(answer)),
        "values": sum(found) / len(found) if found else 0.5,
        "cosine": float(one @ other),
    }


def in_words_of_reference(answer: str, reference: str) -> str:
    """Writes equal numbers and dates of an answer as the reference does: "221 metres" for "221 m"."""
    wanted = [value for value in checkable_values(reference) if value.kind != "name"]
    for value in reversed(checkable_values(answer)):
        equal = next((each for each in wanted if same_value(value, each)), None)
        if equal is not None:
            place = value_extent(value)
            answer = answer[: place.start] + value_extent(equal).of(reference) + answer[place.end :]
    return answer


@cache
def head() -> Logistic:
    """Reads the head that ships."""
    return Logistic.model_validate_json(HEAD.read_text(encoding="utf-8"))
