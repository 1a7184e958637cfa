"""The marks fit the answers, what becomes of a sentence is counted, and the tuned half keeps its floors."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.answers import (
    CORRECTED,
    DAMAGED,
    HALVES,
    Answer,
    Mark,
    answers,
    counted,
    main,
    outcome,
    outcomes,
    reviser,
)
from rarr import Edit, Evidence, Report, Revision, Sentence
from rarr.tools.text.blocks_and_sentences import sentences

ANSWERS = {answer.name: answer for answer in answers(*HALVES)}
KINDS = {
    "number", "date", "unit", "name", "place", "direction", "polarity", "order",
    "list", "roles", "period", "guidance", "event", "quantifier", "comparison", "half",
}  # fmt: skip
MOST = {"supported": 5, DAMAGED: 0, "changed": 1}
"""How many sentences of the tuned half come out so, at most: wrong ones, and for `changed` right ones."""


@pytest.fixture(params=ANSWERS)
def answer(request: pytest.FixtureRequest) -> Answer:
    return ANSWERS[request.param]


def unlabelled(sentence: str) -> str:
    """A sentence without the bold label before it, which a splitter may take off."""
    return sentence.rpartition(":** ")[2]


def test_marked_sentence_is_one_sentence(answer: Answer) -> None:
    counts = Counter(unlabelled(span.of(answer.text)) for span in sentences(answer.text))
    for mark in answer.marks:
        assert answer.text.count(mark.sentence) == 1, mark
        assert counts[unlabelled(mark.sentence)] == 1, mark


def test_wrong_words_stand_once_in_their_sentence(answer: Answer) -> None:
    for mark in answer.marks:
        if mark.wrong is None or mark.right is None:
            assert (mark.wrong, mark.right, mark.kind) == (None, None, "right")
            continue
        assert unlabelled(mark.sentence).count(mark.wrong) == 1, mark
        assert mark.kind in KINDS or answer.half == "unseen", mark
        assert mark.corrected != mark.sentence


def test_answer_has_errors_and_right_sentences(answer: Answer) -> None:
    wrong = sum(mark.wrong is not None for mark in answer.marks)
    assert wrong in (7, 8, 9)
    assert len(answer.marks) - wrong >= wrong
    assert 140 <= len(answer.text.split()) <= 400
    assert 250 <= len(answer.document.read_text(encoding="utf-8").split()) <= 600


def test_halves_hold_every_kind_and_tuned_no_less_of_any() -> None:
    tuned, held_out, unseen = (
        [answer for answer in ANSWERS.values() if answer.half == half] for half in HALVES
    )
    assert (len(tuned), len(held_out), len(unseen)) == (12, 6, 12)
    kinds = [
        Counter(mark.kind for answer in half for mark in answer.marks if mark.wrong)
        for half in (tuned, held_out)
    ]
    assert kinds[0] >= kinds[1]
    assert kinds[0].keys() == kinds[1].keys() == KINDS


@pytest.mark.parametrize(
    ("new", "result"),
    [("12", CORRECTED), ("13", DAMAGED), ("", "contradicted")],
)
def test_wrong_sentence_is_corrected_damaged_or_has_its_status(new: str, result: str) -> None:
    mark = Mark("It has 14 rooms.", "14", "12", "number")
    done = outcome(revision("A long hall. ", "It has 14 rooms.", new), "a", mark)
    assert done.result == result
    assert done.evidence == (("12 rooms",) if new else ())
    assert counted([done], wrong=True)[result] == [True]
    assert not any(hits for hits in counted([done], wrong=False).values())


def test_edit_before_a_right_sentence_leaves_it_unchanged() -> None:
    mark = Mark("It has 14 rooms.", None, None, "right")
    revised = revision("", "It is 14 metres high.", "140", " It has 14 rooms.")
    assert outcome(revised, "a", mark).result == "contradicted"


def test_changed_right_sentence_is_counted_as_changed() -> None:
    mark = Mark("It has 14 rooms.", None, None, "right")
    assert outcome(revision("", "It has 14 rooms.", "12"), "a", mark).result == "changed"


def test_sentences_held_out_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["answers", "--half", "held_out", "--each"])
    with pytest.raises(SystemExit):
        main()
    assert "for measuring alone" in capsys.readouterr().err


@pytest.mark.slow
def test_tuned_half_is_as_good_as_it_was(tmp_path: Path) -> None:
    with reviser(tmp_path) as by:
        done = [outcome for answer in answers("tuned") for outcome in outcomes(by, answer)]
    wrong, right = counted(done, wrong=True), counted(done, wrong=False)
    counts = {
        "supported": sum(wrong["supported"]),
        DAMAGED: sum(wrong[DAMAGED]),
        "changed": sum(right["changed"]),
    }
    assert {name: count for name, count in counts.items() if count > MOST[name]} == {}


def revision(before: str, sentence: str, new: str, after: str = "") -> Revision:
    """A text in which 14 became `new`, each sentence contradicted; without `new` nothing was changed."""
    original = before + sentence + after
    start = original.index("14")
    edit = Edit(
        id="e1", start=start, end=start + 2, old="14", new=new, query_id="q1", evidence_id="v1",
        state="accepted" if new else "refused", reason="",
    )  # fmt: skip
    passage = Evidence(
        id="v1", query_id="q1", text="12 rooms", source="s", start=0, end=8, relevance=1,
        retrieved_at="2024-01-01T00:00:00Z",
    )  # fmt: skip
    text = original[:start] + new + original[start + 2 :] if new else original
    spans = sentences(text)
    judged = (Sentence(text=s.of(text), start=s.start, end=s.end, status="contradicted") for s in spans)
    return Revision(
        run_id="r", original=original, text=text, changed=text != original,
        edits=(edit,), evidence=(passage,), report=Report(sentences=tuple(judged)),
    )  # fmt: skip
