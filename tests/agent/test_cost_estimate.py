"""The expected usage of a run, estimated without asking a model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from component_doubles import ScriptedQueries, scripted_components

from benchmarks.mills import answer, text_of
from rarr import Reviser, Settings
from rarr.records import ModelUsage
from rarr.testing import InMemoryRetriever, RuleModel, ScriptedModel

EXAMPLES = Path(__file__).parents[2] / "examples"
ANSWERS = EXAMPLES / "answers" / "tuned"
# Texts in nearly the same words as their documents, and every third answer of those in other words.
IN_THE_SAME_WORDS = ("port-halden", "demo", "marie-curie")
IN_OTHER_WORDS = sorted(folder.name for folder in ANSWERS.iterdir())[::3]
TEXT = text_of(8, wrong=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "corpus"),
    [
        *((EXAMPLES / "texts" / f"{name}.md", EXAMPLES / "corpus") for name in IN_THE_SAME_WORDS),
        *(
            (ANSWERS / name / "answer.md", next((ANSWERS / name).glob("document.*")))
            for name in IN_OTHER_WORDS
        ),
    ],
    ids=[*IN_THE_SAME_WORDS, *IN_OTHER_WORDS],
)
def test_calls_are_within_a_factor_of_two(text: Path, corpus: Path) -> None:
    words = text.read_text(encoding="utf-8")
    with Reviser(Settings(model=ScriptedModel(RuleModel()), corpus=corpus, rounds=1)) as reviser:
        expected, usage = reviser.estimate(words), reviser.revise(words).usage
    assert 0.5 <= expected.model_calls / usage.model_calls <= 2
    assert 0.4 < expected.input_tokens / usage.input_tokens < 2.5


@dataclass
class Counting(ScriptedQueries):
    """It cannot be hashed, and expects a request."""

    def expected_usage(self, part: str, context: str | None) -> ModelUsage:
        return ModelUsage(model_calls=1)


def test_each_role_counts_of_a_component_in_two_that_has_no_hash() -> None:
    both: Any = Counting()
    components = scripted_components(query_generator=both, card_reader=both)
    assert Reviser(components=components).estimate("It opened.").model_calls == 2


def test_estimated_cost_follows_the_price_and_asks_nothing() -> None:
    price = {"endpoints": {"scripted": {"price": (2.0, 8.0)}}}
    model, retriever = ScriptedModel(answer), InMemoryRetriever()
    estimate = Reviser(Settings(model=model, search=retriever, **price)).estimate(TEXT)
    assert (model.calls, retriever.calls) == ([], [])
    expected = (2.0 * estimate.input_tokens + 8.0 * estimate.output_tokens) / 1_000_000
    assert estimate.cost == pytest.approx(expected)
