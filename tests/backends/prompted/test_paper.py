"""Tests the check and the edit of the paper, which changes only different words, and the baselines."""

from pathlib import Path
from typing import Any

import pytest
from makers import check, evidence, runtime, state

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model, query_about
from rarr import Reviser, Revision, Settings, SettingsError
from rarr.agent.wiring.components import wire
from rarr.backends.prompted.paper import LamdaQueries, PromptedChecker, PromptedEditor
from rarr.components import Baseline, EditorKind, SearchTargets
from rarr.errors import ModelError
from rarr.nodes.check_agreement import check_agreement
from rarr.testing import RuleModel, ScriptedModel

OLD = "The mill is old. It burned in 1921. It was rebuilt."
QUERY = query_about(OLD, "1921", "When did the mill burn?")
MAY = evidence("The mill burned in May 1923.")
ANSWER = {"text_answer": "1921", "evidence_answer": "1923", "reason": "So it says."}


def checker(chat: ScriptedModel) -> PromptedChecker:
    return PromptedChecker(language_model(chat), PROMPTS)


async def test_both_are_asked_with_the_whole_text_and_its_context() -> None:
    shown = {"context": "Who?", "text": OLD, "query": QUERY.text, "evidence": MAY.text}
    for verdict in ("disagrees", "irrelevant", "agrees"):
        chat = answering(answer := ANSWER | {"verdict": verdict})
        agreement = await checker(chat).check(OLD, "Who?", QUERY, MAY)
        assert (agreement.model_dump(exclude={"chosen"}), asked_of(chat)) == (answer, shown)
    chat = answering({"span": "", "revision": OLD})
    await editor(chat).edit(OLD, "Who?", QUERY, check(), MAY)
    assert asked_of(chat) == shown


def editor(chat: ScriptedModel) -> PromptedEditor:
    return PromptedEditor(language_model(chat), PROMPTS)


async def edited(text: str, answer: str) -> str:
    chat = answering({"span": "1921", "revision": answer})
    change = await editor(chat).edit(text, None, query_about(text, text.strip()[:4]), check(), MAY)
    return text if change is None else text[: change.start] + change.new + text[change.end :]


async def test_what_the_prompt_shows_otherwise_stays_as_the_text_has_it() -> None:
    for text, shown in (
        ("mo\xadtor of 1921, [INST] and more", "motor of 1921, ‹INST] and more"),
        ("ab\u202e</text>\u200bof 1921\u200b", "ab‹/text>of 1921"),
        ("  It burned\r\nin 1921.\r\n", "It burned\nin 1921."),
    ):
        assert await edited(text, shown.replace("1921", "1923")) == text.replace("1921", "1923")


async def test_unreadable_answer_is_unknown_with_a_warning_and_never_half_an_edit() -> None:
    before = state(OLD, queries=[QUERY], found=[MAY])
    update = await check_agreement(before, runtime(checker=checker(answering('{"verdict": "disag'))))
    assert [check.verdict for check in update["checks"]] == ["unknown"]
    assert [(it.code, it.query_id) for it in update["warnings"]] == [("check_failed", "q1")]
    with pytest.raises(ModelError, match="cannot be read"):
        await editor(answering('{"revision": "The mi')).edit(OLD, None, QUERY, check(), MAY)


ORREL = "The Orrel Bridge opened in 1932. It is 300 m long."


def rewritten(folder: Path, editor: EditorKind, **settings: Any) -> tuple[Revision, list[str]]:
    (folder / "bridge.md").write_text(f"# Orrel Bridge\n\n{ORREL.replace('1932', '1936')}")
    model = ScriptedModel(RuleModel())
    chosen = Settings(model=model, corpus=folder, home=folder, **settings)
    with Reviser(components=wire(chosen, baseline=Baseline(editor=editor))) as reviser:
        return reviser.revise(ORREL), [ask.name for ask in model.calls]


@pytest.mark.parametrize(("editor", "prompt"), [("efec", "correct_text"), ("lamda", "rewrite_text")])
def test_baselines_rewrite_the_whole_text(tmp_path: Path, editor: EditorKind, prompt: str) -> None:
    revision, asked = rewritten(tmp_path, editor)
    assert revision.text == ORREL.replace("1932", "1936")
    assert asked.count(prompt) == 1
    assert not {"check_agreement", "edit"} & set(asked)
    assert revision.scores.attribution_after is not None


def test_paper_lamda_writes_its_own_searches_and_reports_all_its_evidence(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.md").write_text(f"The Orrel Bridge is in town {n}. It is long.")
    revision, asked = rewritten(tmp_path, "lamda", report_size=2)
    assert asked.count("search_queries") == 1
    assert "generate_queries" not in asked
    asks = [query.text for query in revision.queries]
    assert asks == ["The Orrel Bridge opened in 1932.", "It is 300 m long."]
    places = {(item.source, item.start, item.end) for item in revision.evidence}
    assert len(revision.report.evidence_ids) == len(places) > 2
    limited, _ = rewritten(tmp_path, "efec", report_size=2)
    assert len(limited.report.evidence_ids) == 2


async def test_searches_are_at_most_four_and_each_once() -> None:
    chat = answering({"queries": ["a", " a ", "", "b", "c", "d", "e"]})
    searches = LamdaQueries(language_model(chat), PROMPTS)
    assert [query.text for query in await searches.generate("One.", None)] == ["a", "b", "c", "d"]
    assert await searches.target("One.", None, SearchTargets([])) == ()


def test_rewriting_needs_a_language_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs a language model for edit: name it"):
        wire(Settings(corpus=tmp_path), baseline=Baseline(editor="efec"))
