"""A suggestion that a person refused is not made again for the sentence by the same line of a source."""

from pathlib import Path

import pytest

from rarr import Edit, InputError, Reviser, Revision, Trace
from rarr.agent.refusals import FILE, decided
from rarr.agent.replaying import replay

SENTENCE = "The Hoover Dam is “212 metres” high."
FACT = "Hoover Dam is 221 metres high."


def revised(home: Path, text: str = SENTENCE, *sources: str) -> Revision:
    with Reviser(home=home) as reviser:
        return reviser.revise(text, sources=sources or [FACT], search="given")


def refused(home: Path) -> Revision:
    with Reviser(home=home) as reviser:
        return reviser.refuse(revised(home), "e1")


def edit_of(revision: Revision) -> Edit:
    [edit] = revision.edits
    [status] = [it.status for it in revision.report.sentences if "21" in it.text]
    assert (revision.text, status) == (revision.original, "contradicted")
    return edit


def test_refused_suggestion_is_not_made_again(tmp_path: Path) -> None:
    assert edit_of(revised(tmp_path)).state == "suggested"
    assert edit_of(refused(tmp_path)).state == "refused"
    again = edit_of(revised(tmp_path, f"It is in Nevada.\n\n{SENTENCE}", "It is on a river.", FACT))
    assert (again.state, again.reason) == ("refused", "a person refused it")
    assert "metres" not in (tmp_path / FILE).read_text()


def test_other_sentence_and_other_source_are_suggested(tmp_path: Path) -> None:
    refused(tmp_path)
    assert edit_of(revised(tmp_path, SENTENCE, f"The {FACT}")).state == "suggested"
    assert edit_of(revised(tmp_path, SENTENCE.replace("212", "213"))).state == "suggested"


def test_replay_decides_as_the_run_did(tmp_path: Path) -> None:
    before = Trace.load(revised(tmp_path).run_id, tmp_path)
    refused(tmp_path)
    after = Trace.load(revised(tmp_path).run_id, tmp_path)
    (tmp_path / FILE).unlink()
    assert [replay(trace).same for trace in (before, after)] == [True, True]


def test_wrong_decision_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path))
    run = revised(tmp_path).run_id
    for accept, refuse in ((["e9"], ["e1"]), (["e1"], ["e9"])):
        with pytest.raises(InputError, match="no suggested edit 'e9'"):
            decided(run, accept, refuse)
    with pytest.raises(InputError, match="has no revision"):
        decided("none.json", [], [])
    assert not (tmp_path / FILE).exists()


def test_refusals_that_cannot_be_read_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    again = revised(tmp_path)
    assert ([it.code for it in again.warnings], edit_of(again).state) == (["refusals_failed"], "suggested")
