"""The heads of the weights that ship, on examples that anybody would get right."""

import threading

import numpy as np
import pytest

from rarr.backends.encoder.inputs import MaskedSpan
from rarr.backends.encoder.model import ClozeInput, Encoder
from rarr.tools.text.blocks_and_sentences import Span

SHIPPED = Encoder()
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
    [pointer] = SHIPPED.point([asked(text, value, kind)])
    assert pointer.best is not None
    assert says in pointer.best.of(PASSAGE)


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    question, other = (
        asked("It was opened in 1936.", "1936"),
        asked("It was begun in 1930 " + "and " * 50, "1930"),
    )
    [alone] = SHIPPED.point([question])
    together = SHIPPED.point([other, question, other])[1]
    assert np.array_equal(alone.starts, together.starts)


def test_classes_are_probabilities() -> None:
    judged = SHIPPED.attribution("The bridge opened in 1937.", TITLE, PASSAGE)
    assert sum(judged) == pytest.approx(1)
    assert all(0 <= p <= 1 for p in judged)


@pytest.mark.slow
def test_threads_share_one_encoder() -> None:
    encoder, asked = Encoder(), ("Joseph Strauss designed it.", TITLE, PASSAGE)
    judged = list[object]()
    threads = [threading.Thread(target=lambda: judged.append(encoder.attribution(*asked))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert judged == [SHIPPED.attribution(*asked)] * 8
