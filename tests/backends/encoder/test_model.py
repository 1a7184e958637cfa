"""The heads of the weights that ship, on examples that anybody would get right."""

import threading

import numpy as np
import pytest

from rarr.backends.encoder.inputs import MaskedSpan
from rarr.backends.encoder.model import ClozeInput, Encoder, shipped_encoder
from rarr.tools.text.blocks_and_sentences import Span

TITLE = "Golden Gate Bridge"
PASSAGE = (
    "Construction of the bridge began on January 5, 1933. It opened to traffic in May 1937, and was designed"
    " by Joseph Strauss. Its main span is 4,200 feet long."
)


def asked(text: str, value: str, kind: str = "date") -> ClozeInput:
    start = text.index(value)
    return ClozeInput(text, TITLE, PASSAGE, MaskedSpan(Span(start, start + len(value)), kind))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value", "kind", "says"),
    [
        ("The Golden Gate Bridge was opened in 1936.", "1936", "date", "1937"),
        ("The Golden Gate Bridge was designed by Irving Morrow.", "Irving Morrow", "name", "Joseph Strauss"),
        ("The main span of the Golden Gate Bridge has 5,000 feet.", "5,000", "number", "4,200"),
    ],
)
def test_pointer_finds_the_words_in_the_same_role(text: str, value: str, kind: str, says: str) -> None:
    [pointer] = shipped_encoder().point([asked(text, value, kind)])
    assert pointer.best is not None
    assert says in pointer.best.of(PASSAGE)


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    question, other = (
        asked("It was opened in 1936.", "1936"),
        asked("It was begun in 1930 " + "and " * 50, "1930"),
    )
    [alone] = shipped_encoder().point([question])
    together = shipped_encoder().point([other, question, other])[1]
    assert np.array_equal(alone.starts, together.starts)


def test_classes_are_probabilities() -> None:
    judged = shipped_encoder().attribution("The bridge opened in 1937.", TITLE, PASSAGE)
    assert sum(judged) == pytest.approx(1)
    assert all(0 <= p <= 1 for p in judged)


def test_relevance_prefers_the_passage_that_answers() -> None:
    passages = [
        (TITLE, PASSAGE),
        ("Tower Bridge", "Tower Bridge crosses the Thames close to the Tower of London."),
    ]
    best, other = shipped_encoder().relevance("When was the Golden Gate Bridge opened?", passages)
    assert 0 <= other < best <= 1


def test_embeddings_have_length_one_and_like_texts_are_near() -> None:
    vectors = shipped_encoder().embed(
        ["A cat sat on the mat.", "The cat is sitting on a mat.", "Shares fell on Monday."]
    )
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


@pytest.mark.slow
def test_threads_share_one_encoder() -> None:
    encoder = Encoder()
    expected = shipped_encoder().relevance("Who designed it?", [(TITLE, PASSAGE)])
    scores: list[list[float]] = []
    threads = [
        threading.Thread(
            target=lambda: scores.append(encoder.relevance("Who designed it?", [(TITLE, PASSAGE)]))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [expected] * 8
