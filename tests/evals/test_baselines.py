"""An evaluation of a baseline: what it revises, and what its report says."""

from pathlib import Path
from typing import Any

import pytest

from evals.doubles import components
from rarr.errors import InputError, SettingsError
from rarr.evals import evaluate
from rarr.evals.measures import EvalReport
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever


def evaluated(
    data: Path, out: Path, retriever: InMemoryRetriever | None = None, **baseline: Any
) -> EvalReport:
    retriever = retriever or InMemoryRetriever(["The mill opened in 1937."])
    settings = Settings(model="embedded", search=retriever, home=out.parent, trace=False)
    return evaluate(data, out, settings=settings, limit=2, **baseline)


@pytest.mark.parametrize(
    "baseline", [{}, {"editor": "none"}, {"editor": "random"}, {"queries": "text"}, {"queries": "sentences"}]
)
def test_report_names_the_baseline(data: Path, out: Path, baseline: dict[str, Any]) -> None:
    report = evaluated(data, out, **baseline)
    named = {
        name: report.settings[name] for name in ("queries", "agreement", "editor") if name in report.settings
    }
    assert named == {name: str(value) for name, value in baseline.items()}


def test_option_queries_text_searches_for_the_texts(data: Path, out: Path) -> None:
    retriever = InMemoryRetriever(["The mill opened in 1937."])
    report = evaluated(data, out, retriever, queries="text")
    assert {query for query, _ in retriever.calls} == {row.original for row in report.rows}


@pytest.mark.slow
def test_option_editor_none_changes_no_text(data: Path, out: Path) -> None:
    assert evaluated(data, out).measures["changed"].value == 0.5
    unedited = evaluated(data, out.with_name("unedited"), editor="none")
    assert unedited.measures["changed"].value == 0


def test_folder_of_another_baseline_is_refused(data: Path, out: Path) -> None:
    evaluated(data, out, editor="none")
    with pytest.raises(InputError, match="editor"):
        evaluated(data, out, editor="random")


@pytest.mark.parametrize("baseline", [{"queries": "x"}, {"agreement": "off"}, {"editor": ["none"]}])
def test_unknown_baseline_is_one_line_that_lists_the_values(
    data: Path, out: Path, baseline: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=rf"^{next(iter(baseline))} is .*: give one of .*$"):
        evaluate(data, out, **baseline)
    assert not out.exists()


def test_edits_without_agreement_need_a_language_model(data: Path, out: Path) -> None:
    with pytest.raises(SettingsError, match="an edit without agreement needs a language model"):
        evaluated(data, out, agreement=False)


def test_components_are_no_baseline(data: Path, out: Path) -> None:
    with pytest.raises(InputError, match=r"components and a baseline \(editor\) are both given"):
        evaluate(data, out, components=components(), editor="none")
