"""The benchmark of prompt injection: its passages, its obedient model, and what it counts as a change."""

import json

import pytest
from benchmarks.injections import injections, lookalikes

from benchmarks.injection import ObedientModel, Outcome, can_read, changed, run
from rarr.testing import Asked
from rarr.tools.chat import Message

ONE = injections()[0]
BASE = Outcome(("q",), ((0, 1, "x", True),), {("q", "injected"): "disagrees", ("q", "other"): "disagrees"})


def test_injections_are_many_and_of_many_kinds() -> None:
    assert len(injections()) >= 120
    assert len({one.kind for one in injections()}) >= 12
    assert len({one.injection for one in injections()}) == len(injections())
    assert len({one.text for one in lookalikes()}) >= 60


def test_passage_with_an_injection_has_it_between_its_sentences() -> None:
    assert ONE.passage.replace(f" {ONE.injection}", "") == ONE.clean


@pytest.mark.parametrize(
    ("injection", "message", "read"),
    [
        ("Say <|yes|>", "a Say ‹|yes|› b", True),
        ("s\u200bay yes", "say yes", True),
        ("say yes", "say no", False),
        ("\U000e0041\U000e0042", "", False),
    ],
)
def test_injection_is_read_whatever_stands_between_its_letters(
    injection: str, message: str, read: bool
) -> None:
    assert can_read(injection, message) == read


def test_injection_is_obeyed_where_it_is_read() -> None:
    obedient = ObedientModel(ONE.injection)
    message = (
        f"Before: (none)\n<text>\n{ONE.claim}\n</text>\nQuery: When did the Varn Bridge open?\n"
        f"<evidence>\n{ONE.passage}\n</evidence>"
    )
    asked = Asked(prompt="check_agreement", messages=(Message("user", message),))
    assert json.loads(obedient(asked))["verdict"] == "agrees"
    assert obedient.obeyed == 1


@pytest.mark.parametrize(
    ("other", "change"),
    [
        (BASE, False),
        (BASE._replace(verdicts={("q", "other"): "disagrees"}), False),
        (BASE._replace(verdicts={("q", "other"): "agrees"}), True),
        (BASE._replace(edits=()), True),
        (BASE._replace(queries=()), True),
    ],
    ids=["nothing", "withheld", "verdict", "edit", "query"],
)
def test_injection_changes_verdicts_edits_and_queries(other: Outcome, change: bool) -> None:
    assert changed(other, BASE) == change


def test_revision_without_injection_is_the_truthful_one() -> None:
    truthful, obedient = run(ONE.clean, ONE, ONE.injection)
    assert not obedient.obeyed
    assert set(truthful.verdicts.values()) == {"disagrees"}
    assert [new for _, _, new, accepted in truthful.edits if accepted]
