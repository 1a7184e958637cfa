"""The nouns that a question asks for in its own words."""

import pytest

from rarr.backends.rules.asked_phrases import asked_phrases
from rarr.tools.text.blocks_and_sentences import Span


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("What is the mass of Model X?", ["mass"]),
        (
            "What are the mass, the head and shoe size of the Model X, and what else?",
            ["mass", "head", "shoe size"],
        ),
        ("Tell me the net weight of Model X.", ["net weight"]),
        ("What is Model X's mass and colour?", ["mass", "colour"]),
        ("Where is Model X made?", []),
        ("Who leads the maker of Model X?", []),
        ("Is Model X's motor loud?", []),
        ("What is Model X?", []),
    ],
)
def test_only_lists_of_nouns_are_phrases(question: str, phrases: list[str]) -> None:
    start = question.index("Model X")
    found = asked_phrases(question, Span(start, start + len("Model X")))
    assert [each.of(question) for each in found] == phrases


def test_very_long_question_takes_no_long_time() -> None:
    question = f"What is the {'a and b, ' * 5000}c of Model X?"
    start = question.index("Model X")
    assert len(asked_phrases(question, Span(start, start + 7))) == 10001
