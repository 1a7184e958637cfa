"""What a run is expected to spend, which is said without asking anybody."""

from pathlib import Path

import pytest

from agent.mills import Documents, WatchedModel, text_of
from rarr import Reviser, Settings
from rarr.errors import InputError
from rarr.testing import InMemoryRetriever, RuleModel, ScriptedModel

EXAMPLES = Path(__file__).parents[2] / "examples"
NODES = ("generate_queries", "check_agreement", "edit", "attribute")
TEXT = text_of(8, wrong=2)


def test_embedded_models_spend_nothing() -> None:
    estimate = Reviser(Settings(search=Documents())).estimate(TEXT)
    assert (estimate.model_calls, estimate.input_tokens, estimate.output_tokens, estimate.cost) == (
        0,
        0,
        0,
        0,
    )
    assert estimate.queries >= 8
    assert estimate.edits > 0


@pytest.mark.slow
@pytest.mark.parametrize("blind", [True, False])
@pytest.mark.parametrize("name", ["port-halden.md", "demo.md", "marie-curie.md"])
def test_calls_are_within_a_factor(name: str, *, blind: bool) -> None:
    text = (EXAMPLES / "texts" / name).read_text(encoding="utf-8")
    settings = Settings(model=ScriptedModel(RuleModel()), corpus=EXAMPLES / "corpus", blind=blind)
    with Reviser(settings) as reviser:
        expected, usage = reviser.estimate(text), reviser.revise(text).usage
    # Blind, a value that a document has in nearly the same words is not asked about, so the estimate is high.
    assert 0.5 < expected.model_calls / usage.model_calls < (5 if blind else 2)
    # The documents of the examples are a third of a block.
    assert 0.4 < expected.input_tokens / usage.input_tokens < (16 if blind else 2.5)


def test_estimate_asks_no_model_and_searches_nothing() -> None:
    model, retriever = WatchedModel(), InMemoryRetriever()
    Reviser(Settings(model=model, search=retriever)).estimate(TEXT)
    assert (model.calls, retriever.calls) == ([], [])


def test_only_nodes_with_a_language_model_are_counted() -> None:
    spent = {
        node: Reviser(Settings(models={node: WatchedModel()}, search=Documents())).estimate(TEXT).model_calls
        for node in NODES
    }
    assert spent["generate_queries"] == 1
    assert 0 < spent["edit"] < spent["check_agreement"] < spent["attribute"]


def test_cost_is_that_of_the_price() -> None:
    price = {"endpoints": {"scripted": {"price": (2.0, 8.0)}}}
    estimate = Reviser(Settings(model=WatchedModel(), search=Documents(), **price)).estimate(TEXT)
    expected = (2.0 * estimate.input_tokens + 8.0 * estimate.output_tokens) / 1_000_000
    assert estimate.cost == pytest.approx(expected)


def test_more_text_and_context_are_expected_to_spend_more() -> None:
    reviser = Reviser(Settings(model=WatchedModel(), search=Documents()))
    short, long = reviser.estimate(text_of(2, wrong=0)), reviser.estimate(TEXT)
    assert short.model_calls < long.model_calls
    assert long.input_tokens < reviser.estimate(TEXT, "Mills? " * 1000).input_tokens


@pytest.mark.parametrize("text", ["Hello there!", "# Title", "```\nx = 1\n```"])
def test_text_without_values_is_estimated_as_well(text: str) -> None:
    assert Reviser(Settings(model=WatchedModel(), search=Documents())).estimate(text).model_calls > 0


def test_text_that_cannot_be_revised_cannot_be_estimated() -> None:
    with pytest.raises(InputError, match="text is empty"):
        Reviser(Settings(search=Documents())).estimate(" ")
