"""An edit that a person refused is not made again in its sentence."""

from pathlib import Path
from typing import Any

import pytest

from rarr import Edit, InputError, Reviser, Revision, Trace
from rarr.agent.refusals import REFUSALS_FILE, decide_run, store_decisions
from rarr.agent.replaying import replay
from rarr.testing import ScriptedModel

SENTENCE = "The Hoover Dam is “212 metres” high."
FACT = "Hoover Dam is 221 metres high."


def revised(home: Path, text: str = SENTENCE, *sources: str, model: Any = "embedded") -> Revision:
    with Reviser(home=home, model=model) as reviser:
        made = reviser.revise(text, sources=sources or [FACT], search="given")
    one_query = tuple(it.model_copy(update={"query_id": "q1"}) for it in made.edits)
    return made.model_copy(update={"edits": one_query})


def edit_of(revision: Revision) -> Edit:
    [edit] = revision.edits
    [status] = [it.status for it in revision.report.sentences if "21" in it.text]
    assert (revision.text, status) == (revision.original, "contradicted")
    return edit


def test_made_edit_is_refused_and_comes_back_where_that_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path))
    text = "It is old. The Hoover Dam is 212 metres high. The Oroville Dam is 253 metres high."
    facts = (FACT, "Oroville Dam is 235 metres high.")
    first = revised(tmp_path, text, *facts)
    assert [it.state for it in first.edits] == ["accepted"] * 2
    made = decide_run(first.run_id, refuse=["e1"])
    assert (made.text, made.edits[0].state) == (text.replace("253", "235"), "refused")
    assert [it.text for it in made.report.sentences] == [f"{it}." for it in made.text[:-1].split(". ")]
    _, dam, other = made.report.sentences
    assert (dam.status, dam.quotes[0].side, other) == ("contradicted", "against", first.report.sentences[2])
    assert [it.state for it in dam.parts if "212" in made.text[it.start : it.end]] == ["differs"]
    later = revised(tmp_path, text, *facts)
    assert (later.text, later.report.sentences[1].status) == (made.text, "contradicted")
    assert decide_run(first.run_id, undo=["e1"]).text == first.text
    assert decide_run(later.run_id, accept=["e1"]).text == revised(tmp_path, text, *facts).text == first.text


def test_refused_suggestion_is_not_made_again(tmp_path: Path) -> None:
    assert edit_of(revised(tmp_path)).state == "suggested"
    assert edit_of(store_decisions(revised(tmp_path), tmp_path, refuse=["e1"])).state == "refused"
    again = edit_of(revised(tmp_path, f"It is in Nevada.\n\n{SENTENCE}", "It is on a river.", FACT))
    assert (again.state, again.reason) == ("refused", "a person refused it")
    file = tmp_path / REFUSALS_FILE
    assert "metres" not in file.read_text() and not file.stat().st_mode & 0o77
    assert edit_of(revised(tmp_path, SENTENCE, f"The {FACT}")).state == "refused"
    # Another sentence is another suggestion.
    assert edit_of(revised(tmp_path, SENTENCE.replace("212", "213"))).state == "suggested"


def test_replay_decides_as_the_run_did(tmp_path: Path) -> None:
    before = Trace.load(revised(tmp_path).run_id, tmp_path)
    store_decisions(revised(tmp_path), tmp_path, refuse=["e1"])
    after = Trace.load(revised(tmp_path).run_id, tmp_path)
    (tmp_path / REFUSALS_FILE).unlink()
    assert [replay(trace).same for trace in (before, after)] == [True, True]


def test_later_run_tells_what_is_withheld_until_that_is_undone(tmp_path: Path) -> None:
    both = f"{SENTENCE} The Oroville Dam is “212 metres” high."
    facts = (FACT, "Oroville Dam is 235 metres high.")
    with Reviser(home=tmp_path) as reviser:
        first = revised(tmp_path, both, *facts)
        assert [it.status for it in first.accept("e1").report.sentences] == ["supported", "contradicted"]
        reviser.decide(first, refuse=["e1", "e2"])
        [notice] = (again := revised(tmp_path, both, *facts)).warnings
        assert (notice.code, again.run_id in notice.message) == ("suggestions_withheld", True)
        assert "2 edits withheld" in notice.message
        undone = reviser.decide(again, undo=["e2"])
        assert ([it.state for it in undone.edits], len(undone.warnings)) == (["refused", "suggested"], 1)
    assert [it.state for it in revised(tmp_path, both, *facts).edits] == ["refused", "suggested"]


def test_edits_of_a_sentence_are_refused_and_freed_together(tmp_path: Path) -> None:
    text, fact = "The Hoover Dam is “212 metres” high, with “9 rooms”.", f"{FACT[:-1]}, with 7 rooms."
    edits = [{"old": old, "new": new, "by": new} for old, new in (("212", "221"), ("9 rooms", "7 rooms"))]
    card = {"s": 1, "q": ["P1.1"], "v": "no", "open": [], "edits": edits}
    model = ScriptedModel(lambda asked: {"cards": [card]})
    first = store_decisions(revised(tmp_path, text, fact, model=model), tmp_path, refuse=["e2"])
    again = revised(tmp_path, text, fact, model=model)
    assert [it.state for made in (first, again) for it in made.edits] == ["refused"] * 4
    freed = store_decisions(again, tmp_path, accept=["e1"]).edits
    assert [it.state for it in freed] == ["suggested", "accepted"]


def test_last_decision_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path))
    run, states = revised(tmp_path).run_id, []
    for decision in ("accept", "refuse", "refuse", "accept", "refuse", "undo"):
        made = decide_run(run, **{decision: ["e1"]})
        states.append((made.edits[0].state, len(made.warnings), edit_of(revised(tmp_path)).state))
    withheld, accepted = ("refused", 1, "refused"), ("accepted", 0, "suggested")
    assert states == [accepted, withheld, withheld, accepted, withheld, ("suggested", 0, "suggested")]
    decide_run(run, refuse=["e1"])
    later = revised(tmp_path).run_id
    decide_run(later, undo=["e1"])
    assert decide_run(later, accept=["e1"]).edits[0].state == "accepted"  # the run itself was made before


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ({"accept": ["e9"], "refuse": ["e1"]}, "edit 'e9' is unknown"),
        ({"accept": ["e1"], "refuse": ["e9"]}, "edit 'e9' is unknown"),
        ({"accept": ["e1"], "refuse": ["e1"]}, "edit 'e1' is decided twice"),
        ({"refuse": ["e1"], "undo": ["e1"]}, "edit 'e1' is decided twice"),
        ({"accept": ["e2"]}, r"the gate refused edit 'e2' \(too long\)"),
        ({"undo": ["e1"]}, "no person refused e1"),
        ({"refuse": [["e1"]]}, r"\['e1'\] is unknown; .* a person can decide: e1"),
        ({}, r"no edit is named; edits that a person can decide: e1 \(suggested\)"),
    ],
)
def test_wrong_decision_keeps_nothing(decisions: Any, message: str, tmp_path: Path) -> None:
    made = revised(tmp_path)
    gated = made.edits[0].model_copy(update={"id": "e2", "state": "refused", "reason": "too long"})
    made = made.model_copy(update={"edits": (*made.edits, gated)})
    with pytest.raises(InputError, match=message):
        store_decisions(made, tmp_path, **decisions)
    with pytest.raises(InputError, match="no trace of a run 'none'"):
        decide_run("none", **decisions)
    assert not (tmp_path / REFUSALS_FILE).exists()


def test_refusals_that_cannot_be_read_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / REFUSALS_FILE).mkdir()
    again = revised(tmp_path)
    assert ([it.code for it in again.warnings], edit_of(again).state) == (["refusals_failed"], "suggested")
