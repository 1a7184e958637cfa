"""Postprocessing an answer: modes, notices, deadlines, and failures that still give a text to send out."""

import asyncio
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR, Silent, run_once
from rarr import Postprocessed, Reviser, Settings, apostprocess, cite, postprocess, revise
from rarr.agent.postprocess import outcome_and_notice
from rarr.records import Notice, Report
from rarr.testing import InMemoryRetriever, ScriptedModel

SOON = 1.0
CITED = "The Hoover Dam is 221 metres high. It was completed in 1936 [1]."
LISTED = "Sources:\n\n- [1] passage 1\n- [2] passage 2\n"
MARKED = f"{CITED.replace('high.', 'high.[1]')}[2]\n\n{LISTED}"
FOUND, BOTH = "1 contradicted, 1 not confirmed, 1 confirmed", [(RIGHT, HEIGHT), (FINISHED, YEAR)]
THOUGHT = "nothing to check: the model gave no answer behind its reasoning"
MODES = ("revise", "cite", "check", "annotate")


def given(answer: str = ANSWER, **options: Any) -> Postprocessed:
    return postprocess(answer, sources=[HEIGHT, YEAR], search="given", **options)


@pytest.mark.parametrize(
    ("mode", "answer", "text", "notice", "cited"),
    [
        ("revise", ANSWER, f"{RIGHT} {FINISHED} {UNKNOWN}", FOUND.replace("contradicted", "corrected"), BOTH),
        ("check", ANSWER, ANSWER, FOUND, BOTH[1:]),
        ("annotate", ANSWER, f"{WRONG}[contradicted] {FINISHED} {UNKNOWN}[not confirmed]", FOUND, BOTH[1:]),
        ("cite", CITED, MARKED, "2 confirmed, 2 cited, 1 wrong citation", [("[1]", HEIGHT), ("[2]", YEAR)]),
    ],
)
def test_mode_decides_text_and_citations(mode: Any, answer: str, text: str, notice: str, cited: Any) -> None:
    result = given(answer, mode=mode)
    assert (result.text, result.original, result.changed) == (text, answer, text != answer)
    assert (result.outcome, result.notice) == ("finished", notice)
    assert result.revision is not None
    texts = {evidence.id: evidence.text for evidence in result.revision.evidence}
    found = [(result.text[it.start : it.end], texts[it.evidence_id]) for it in result.citations]
    assert found == cited
    assert [check.state for check in result.existing] == ["not_supported"] * (mode == "cite")
    marks = [(f"[{mark.kind}]", result.text[mark.start : mark.end]) for mark in result.marks]
    assert len(marks) == 2 * (mode == "annotate") and all(kind == words for kind, words in marks)


@pytest.mark.parametrize("mode", MODES)
def test_reasoning_passes_and_the_answer_behind_it_is_checked(mode: Any) -> None:
    thought, answer = f"\n<think>{WRONG} I saw it [1].</think>\n\n", f"{WRONG} {CITED}"
    plain, result = results = list[Any](given(it, mode=mode) for it in (answer, thought + answer))
    assert (result.original, result.text) == (thought + answer, thought + plain.text)
    old, new = ((*it.citations, *it.marks, *it.existing, *it.revision.report.sentences) for it in results)
    assert [it.start + len(thought) for it in old] == [it.start for it in new]
    Postprocessed.model_validate(result.model_dump())  # the edits of its revision lead to its text


def test_changed_sentence_with_open_words_counts_as_not_confirmed() -> None:
    revision = given(WRONG).revision
    assert revision is not None and outcome_and_notice(revision) == ("finished", "1 corrected")
    (sentence,) = revision.report.sentences
    report = Report(sentences=(sentence.model_copy(update={"status": "unconfirmed"}),))
    assert outcome_and_notice(revision.model_copy(update={"report": report}))[1] == "1 not confirmed"


def test_sources_of_each_call_stand_beside_a_corpus_or_alone(tmp_path: Path) -> None:
    (tmp_path / "year.md").write_text(YEAR)
    with Reviser(Settings(corpus=tmp_path)) as reviser:
        for search, names in ((None, ["passage 1", "year.md"]), ("given", ["passage 1"])):
            result = reviser.postprocess(f"{WRONG} {FINISHED}", sources=[HEIGHT], search=search)  # type: ignore[arg-type]  # a loop over literals
            assert result.text == f"{RIGHT} {FINISHED}"
            assert [Path(each.source).name for each in result.citations] == names
    assert revise(WRONG, sources=[YEAR], search="given", corpus=tmp_path).text == WRONG
    alone: dict[str, Any] = {"sources": [HEIGHT], "search": "given", "corpus": tmp_path / "none"}
    assert [it.source for it in cite(f"{RIGHT} {FINISHED}", **alone).sources] == ["passage 1"]


@pytest.mark.parametrize("mode", MODES)
def test_dead_search_or_model_gives_the_original_and_says_why(mode: Any) -> None:
    dead = ScriptedModel({}, failures=[OSError("connection refused")] * 1000)
    for result, why in (
        (postprocess(ANSWER, search=InMemoryRetriever(OSError("down")), mode=mode), "retrieve_failed"),
        (given(model=dead, mode=mode), "connection refused"),
    ):
        assert (result.text, result.outcome, result.citations) == (ANSWER, "failed", ())
        assert result.notice.startswith("not checked: ") and why in result.notice


def test_failing_cache_changes_neither_outcome_nor_notice() -> None:
    full = Notice(code="cache_failed", message="cache 'c' cannot be written: make room", node="retrieve")
    revision = given(f"Hello! {WRONG}").revision
    assert revision is not None
    expected = "finished", "1 corrected, 1 not checked"
    assert outcome_and_notice(revision.model_copy(update={"warnings": (full,)})) == expected


def test_run_that_breaks_gives_the_original_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reviser, "arevise", AsyncMock(side_effect=RuntimeError("no memory")))
    result = given()
    assert (result.text, result.outcome, result.revision) == (ANSWER, "failed", None)
    assert result.notice == "not checked: RuntimeError: no memory"


@pytest.mark.parametrize(
    ("answer", "sources", "outcome", "notice"),
    [
        ("Hello!", [HEIGHT], "nothing_to_check", "nothing to check"),
        (ANSWER, [], "failed", "not checked: the answer has no sources"),
        *((f"<think>{it}", [HEIGHT], "nothing_to_check", THOUGHT) for it in (WRONG, f"{WRONG}</think>\n")),
    ],
)
def test_nothing_to_do_is_told(answer: str, sources: Any, outcome: str, notice: str) -> None:
    result = postprocess(answer, sources=sources, search="given")
    assert (result.text, result.outcome, result.notice) == (answer, outcome, notice)


@pytest.mark.parametrize(
    "data",
    [
        f'{{"text": "{WRONG}", "year": 1935}}',
        f'name,height\nHoover Dam,212 metres\n"{WRONG}",1935\n',
        f'{{"text": "{WRONG}"}}\n{{"text": "It opened in 1935."}}\n',
        f"name;height\nHoover Dam;212 metres\nIt;{WRONG}\n",
        f"<dam><text>{WRONG}</text></dam>",
        f"```\n{WRONG}\n```",
    ],
)
def test_annotate_puts_no_mark_into_data_and_code_but_into_prose_with_commas(data: str) -> None:
    assert given(data, mode="annotate").text == data
    assert given(f"In 1936, it opened.\n\nIt is old, too. {WRONG}", mode="annotate").marks


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_silent_source_is_cancelled_at_the_deadline(mode: Any) -> None:
    await asyncio.to_thread(run_once)  # a first run loads what may take longer than the deadline
    await apostprocess(ANSWER, sources=[HEIGHT], mode="cite")
    result = await apostprocess(ANSWER, search=(source := Silent()), mode=mode, deadline_s=SOON)
    assert (result.text, result.changed, result.outcome) == (ANSWER, False, "deadline")
    assert (result.revision, result.citations, result.marks) == (None, (), ())
    assert result.notice == "not checked: the deadline of 1 s came first"
    # On a machine that does much else, the deadline may come before the search begins.
    assert not source.asked.is_set() or await asyncio.to_thread(source.cancelled.wait, 60)
