"""Postprocessing an answer: modes, sources, notices, and failures that still give a text to send out."""

from pathlib import Path
from typing import Any

import pytest

from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR
from rarr import InputError, Postprocessed, Reviser, Settings, postprocess
from rarr.agent import runs
from rarr.agent.wiring.components import wire
from rarr.testing import InMemoryRetriever, ScriptedModel


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))


def given(answer: str = ANSWER, **options: Any) -> Postprocessed:
    return postprocess(answer, sources=[HEIGHT, YEAR], search="given", **options)


CITED = "The Hoover Dam is 221 metres high. It was completed in 1936 [1]."


@pytest.mark.parametrize(
    ("mode", "answer", "text", "notice", "cited"),
    [
        (
            "revise",
            ANSWER,
            f"{RIGHT} {FINISHED} {UNKNOWN}",
            "1 corrected, 1 not confirmed, 2 confirmed",
            [(RIGHT, HEIGHT), (FINISHED, YEAR)],
        ),
        ("check", ANSWER, ANSWER, "1 contradicted, 1 not confirmed, 1 confirmed", [(FINISHED, YEAR)]),
        (
            "annotate",
            ANSWER,
            f"{WRONG}[contradicted] {FINISHED} {UNKNOWN}[not confirmed]",
            "1 contradicted, 1 not confirmed, 1 confirmed",
            [(FINISHED, YEAR)],
        ),
        (
            "cite",
            CITED,
            f"{CITED.replace('high.', 'high.[1]')}[2]\n\nSources:\n\n- [1] passage 1\n- [2] passage 2\n",
            "2 confirmed, 2 cited, 1 wrong citation",
            [("[1]", HEIGHT), ("[2]", YEAR)],
        ),
    ],
)
def test_mode_decides_the_text_and_what_its_citations_point_at(
    mode: Any, answer: str, text: str, notice: str, cited: list[tuple[str, str]]
) -> None:
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
    assert mode != "annotate" or result.without_marks() == answer


def test_given_sources_stand_beside_a_corpus_or_alone(tmp_path: Path) -> None:
    (tmp_path / "year.md").write_text(YEAR)
    for search, names in ((None, ["passage 1", "year.md"]), ("given", ["passage 1"])):
        more: Any = {"search": search} if search else {}
        result = postprocess(f"{WRONG} {FINISHED}", sources=[HEIGHT], corpus=tmp_path, **more)
        assert result.text == f"{RIGHT} {FINISHED}"
        assert [Path(each.source).name for each in result.citations] == names


def test_question_says_what_the_answer_is_about() -> None:
    question = [
        {"role": "user", "content": "How far does the Hoover Dam rise above the river?"},
        {"role": "assistant", "content": "It rises 212 metres above the river."},
    ]
    source = "Hoover Dam rises 221 metres above the river."
    result = postprocess("It rises 212 metres above the river.", question, [source])
    assert result.text == "It rises 221 metres above the river."


@pytest.mark.parametrize("mode", ["revise", "cite", "check", "annotate"])
def test_dead_search_or_model_gives_the_original_and_says_why(mode: Any) -> None:
    dead = ScriptedModel({}, failures=[OSError("connection refused")] * 1000)
    for result, why in (
        (postprocess(ANSWER, search=InMemoryRetriever(OSError("down")), mode=mode), "retrieve_failed"),
        (given(model=dead, mode=mode), "connection refused"),
    ):
        assert (result.text, result.outcome, result.citations) == (ANSWER, "failed", ())
        assert result.notice.startswith("not checked: ") and why in result.notice


def test_run_that_breaks_gives_the_original_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(Reviser, "arevise", broken)
    result = given()
    assert (result.text, result.outcome, result.revision) == (ANSWER, "failed", None)
    assert result.notice == "not checked: RuntimeError: no memory"


@pytest.mark.parametrize(
    ("answer", "sources", "outcome", "notice"),
    [
        ("Hello!", [HEIGHT], "nothing_to_check", "nothing to check"),
        (ANSWER, [], "failed", "not checked: the answer has no sources"),
    ],
)
def test_nothing_to_do_is_told(answer: str, sources: Any, outcome: str, notice: str) -> None:
    result = postprocess(answer, sources=sources, search="given")
    assert (result.text, result.outcome, result.notice) == (answer, outcome, notice)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"answer": " "}, "answer is empty: give at least one sentence"),
        ({"answer": 3}, "answer is an int, not a str"),
        ({"mode": "mark"}, "mode is 'mark': give one of 'revise', 'cite', 'check', 'annotate'"),
        ({"search": "given"}, "search is given, and sources are not"),
        ({"deadline_s": 0}, "deadline_s is 0: give seconds above 0"),
        ({"deadline_s": True}, "deadline_s is True"),
        ({"sources": "one text"}, "sources is a str: give a list"),
        ({"sources": [3]}, "passage 1 is an int: give a text, a rarr.Passage, a document of LangChain"),
        ({"sources": [{"url": "https://x.org"}]}, "passage 1 is empty"),
        ({"context": 3}, "context is an int: give a str, or a list of messages"),
        ({"context": [{"content": "x"}]}, "a message of context has no role"),
        ({"modle": "rules"}, "modle"),
    ],
)
def test_wrong_call_is_refused_with_its_cure(call: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        postprocess(**{"answer": ANSWER, **call})


async def test_reviser_builds_its_models_once_for_all_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def counted(*arguments: Any, **more: Any) -> Any:
        made.append(arguments)
        return wire(*arguments, **more)

    monkeypatch.setattr(runs, "wire", counted)
    reviser = Reviser(Settings())
    results = [
        await reviser.apostprocess(WRONG, sources=[source], mode=mode)
        for source in (HEIGHT, "Hoover Dam is 230 metres high.")
        for mode in ("revise", "check", "annotate", "cite")
    ]
    await reviser.aclose()
    assert len(made) == 1
    assert [result.text for result in results[::4]] == [RIGHT, RIGHT.replace("221", "230")]


@pytest.mark.parametrize(
    "data",
    [
        f'{{"text": "{WRONG}", "year": 1935}}',
        f'[\n  {{"text": "{WRONG}"}}\n]\n',
        f'name,height\nHoover Dam,212 metres\n"{WRONG}",1935\n',
        f"<dam><text>{WRONG}</text></dam>",
        f"```\n{WRONG}\n```",
    ],
)
def test_annotate_puts_no_mark_into_data_and_code(data: str) -> None:
    assert given(data, mode="annotate").text == data


@pytest.mark.parametrize(
    "prose", [f"Yes, it is.\n{WRONG}", f"In 1936, it opened.\n\nIt is old, too. {WRONG}"]
)
def test_annotate_marks_prose_with_commas(prose: str) -> None:
    assert given(prose, mode="annotate").marks
