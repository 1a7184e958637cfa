"""The heads of the weights that ship, on examples that anybody would get right."""

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
    assert says in pointer.ranked(1)[0][0].of(PASSAGE)


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    question, other = (
        asked("It was opened in 1936.", "1936"),
        asked("It was begun in 1930 " + "and " * 50, "1930"),
    )
    [alone] = SHIPPED.point([question])
    together = SHIPPED.point([other, question, other])[1]
    assert np.array_equal(alone.starts, together.starts)
