"""Scores an answer against a reference answer: by rules where they decide, and otherwise by a fitted head.

The head is a logistic regression over words in common and the cosine of the encoder's embeddings. It was
fitted on `train/handwritten` alone (`python -m benchmarks.answer_scores --fit`).
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from rarr.backends.encoder.model import Encoder
from rarr.backends.logistic import Logistic
from rarr.backends.rules.answer_contradictions import (
    contradiction,
    with_unit_of_question,
    with_unit_of_reference,
)
from rarr.backends.rules.answer_overlap import (
    answer_words,
    containment,
    exact_match,
    longest_common_share,
    token_f1,
)
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.passive_voice import tells_the_same_in_passive
from rarr.backends.rules.values import checkable_values, same_value, value_extent

HEAD = Path(__file__).with_name("answer_score.json")


class ReferenceScore(NamedTuple):
    """The score of an answer by one reference, from 0 to 1. `by_rules`: rules decided, and no head."""

    score: float
    reason: str
    by_rules: bool


def reference_score(answer: str, reference: str, question: str | None, encoder: Encoder) -> ReferenceScore:
    """Scores an answer by one reference: by the rules where they decide, and otherwise by the head."""
    if (ruled := ruled_score(answer, reference, question)) is not None:
        return ruled
    likely = head().probability(answer_features(answer, reference, question or "", encoder))
    return ReferenceScore(likely, "by the words in common and the embeddings", False)


def ruled_score(answer: str, reference: str, question: str | None) -> ReferenceScore | None:
    """Scores by the rules alone: equal words or the same act in the passive 1, a contradiction 0 or 0.25.

    None if the rules cannot decide.
    """
    reference = with_unit_of_question(reference, question or "")
    answer = with_unit_of_reference(answer, reference)
    if found := contradiction(answer, reference, question or ""):  # 1.5 and 15 have the same words
        return ReferenceScore(found.score, found.reason, True)
    if exact_match(answer, reference):
        return ReferenceScore(1.0, "the same words", True)
    pair = parsed_sentence(answer), parsed_sentence(reference)
    if tells_the_same_in_passive(*pair) or tells_the_same_in_passive(*reversed(pair)):
        return ReferenceScore(1.0, "the same in the passive", True)
    return None


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
    answer = with_unit_of_reference(answer, reference)
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
