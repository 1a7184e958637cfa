"""The stage at which each error of a text was lost: one run for each stage."""

from pathlib import Path
from typing import Any

import pytest

from evals.doubles import lines, write_rows
from rarr.components import Components
from rarr.evals import evaluate
from rarr.evals.lost_error_stages import TextError, errors
from rarr.records import Agreement, Change, Check, Evidence, Query
from rarr.testing import (
    InMemoryRetriever,
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
    scripted_components,
)
from rarr.tools.text.span import Span

TEXT, RIGHT = "The mill opened in 1973.", "The mill opened in 1937."
ASKED = "When did the mill open?"
SAYS_1937, SAYS_NOTHING = "The mill opened in 1937.", "The mill is old."
UNKNOWN = Agreement(verdict="unknown")


def disagrees(answer: str = "1937", confidence: float | None = None) -> Agreement:
    """The evidence says another year than the text."""
    return Agreement(verdict="disagrees", text_answer="1973", evidence_answer=answer, confidence=confidence)


def run(
    checked: Agreement | None = None, passages: tuple[str, ...] = (SAYS_1937,), **more: Any
) -> Components:
    """Components that mend the text, unless the arguments say otherwise. `checked`: the first verdict."""
    first = checked or disagrees()
    parts: dict[str, Any] = {
        "query_generator": ScriptedQueries([(ASKED, "1973")]),
        "retriever": InMemoryRetriever(passages),
        "checker": ScriptedChecker(
            lambda text, query, evidence: first if text == TEXT else Agreement(verdict="agrees")
        ),
        "verifier": ScriptedVerifier(lambda sentence, evidence: 0.2 if sentence == TEXT else 0.9),
    }
    return scripted_components(**(parts | more))


def declines(text: str, query: Query, check: Check, evidence: Evidence) -> None:
    """No change."""


def writes_much(text: str, query: Query, check: Check, evidence: Evidence) -> Change:
    """A change that is too long."""
    return Change(start=0, end=8, new="A school, a church, a long road and a very old bridge over the river")


STAGES = {
    "mended": run(),
    "changed_otherwise": run(disagrees("1948"), passages=("The mill opened in 1948.",)),
    "suggested": run(disagrees(confidence=0.6)),
    "not_asked": run(UNKNOWN, query_generator=ScriptedQueries([("What opened?", "mill")])),
    "not_found": run(UNKNOWN, (SAYS_NOTHING,)),
    "not_kept": run(UNKNOWN, (SAYS_1937, SAYS_NOTHING), reranker=ScriptedReranker({"1937": 0.0, "old": 0.9})),
    "not_judged": run(UNKNOWN),
    "not_edited": run(editor=ScriptedEditor(declines)),
    "refused": run(editor=ScriptedEditor(writes_much)),
}


@pytest.mark.parametrize("stage", STAGES)
def test_stage_of_an_error(stage: str, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.jsonl", {"id": "a", "text": TEXT, "revised": RIGHT})
    report = evaluate(data, tmp_path / "out", components=STAGES[stage])
    assert report.rows[0].errors == (stage,)
    shares = {name: measure.value for name, measure in report.measures.items() if name.startswith("error_")}
    assert shares == {f"error_{name}": float(name == stage) for name in STAGES}


def test_stages_are_kept_in_the_predictions(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": TEXT, "revised": RIGHT}, {"id": "b", "text": TEXT}]
    data, out = write_rows(tmp_path / "data.jsonl", *rows), tmp_path / "out"
    evaluate(data, out, components=run(), limit=1)
    assert lines(out)[0]["errors"] == ["mended"]
    assert [row.errors for row in evaluate(data, out, components=run()).rows] == [("mended",), None]


@pytest.mark.parametrize(
    ("original", "reference", "expected"),
    [
        ("One two three.", "One two three.", []),
        ("It rose to 9.7 from 11.2.", "It rose to 11.2 from 9.7.", [(11, 14, "11.2"), (20, 24, "9.7")]),
        ("It has not ended.", "It has ended.", [(7, 11, "")]),
        ("It has ended.", "It has not ended.", [(7, 7, "not ")]),
        ("Ends with red", "Ends with", [(9, 13, "")]),
    ],
)
def test_errors_are_the_changed_words(
    original: str, reference: str, expected: list[tuple[int, int, str]]
) -> None:
    found = [(error.place.start, error.place.end, error.right) for error in errors(original, reference)]
    assert found == expected


def test_error_has_its_place() -> None:
    assert list(errors("A b c", "A x c")) == [TextError(Span(2, 3), "x")]
