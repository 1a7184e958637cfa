"""The marks fit the answers, what becomes of a sentence is counted, and the tuned half keeps its floors."""

from collections import Counter
from pathlib import Path

import pytest
from makers import edit, evidence, revision as make_revision

from benchmarks import answers as bench
from benchmarks.answers import CORRECTED, DAMAGED, HALVES, Mark, outcome, outcomes
from rarr import Report, Revision, Sentence
from rarr.tools.text.blocks_and_sentences import sentences

ANSWERS = {answer.name: answer for answer in bench.read_answers(*HALVES)}
KINDS = {"number", "date", "unit", "name", "place", "direction", "polarity", "order", "list", "roles"}
KINDS |= {"period", "guidance", "event", "quantifier", "comparison", "half"}
MOST = {"supported": 5, DAMAGED: 0, "changed": 1}
"""How many sentences of the tuned half come out so, at most: wrong ones, and for `changed` right ones."""


@pytest.mark.parametrize("name", ANSWERS)
def test_marks_fit_the_sentences_of_their_answer(name: str) -> None:
    answer = ANSWERS[name]
    # A label in bold before a sentence may be taken off by a splitter.
    counts = Counter(span.of(answer.text).rpartition(":** ")[2] for span in sentences(answer.text))
    for mark in answer.marks:
        own = mark.sentence.rpartition(":** ")[2]
        assert (answer.text.count(mark.sentence), counts[own]) == (1, 1), mark
        if mark.wrong is None or mark.right is None:
            assert (mark.wrong, mark.right, mark.kind) == (None, None, "right")
        else:
            assert own.count(mark.wrong) == 1 and mark.corrected != mark.sentence, mark
            assert mark.kind in KINDS or answer.half == "unseen", mark
    assert 7 <= sum(mark.wrong is not None for mark in answer.marks) <= min(9, len(answer.marks) // 2)


@pytest.mark.parametrize(("new", "result"), [("12", CORRECTED), ("13", DAMAGED), ("", "contradicted")])
def test_wrong_sentence_is_corrected_damaged_or_has_its_status(new: str, result: str) -> None:
    mark = Mark("It has 14 rooms.", "14", "12", "number")
    done = outcome(revision("A long hall. ", "It has 14 rooms.", new), "a", mark)
    assert done.result == result
    assert done.evidence == (("12 rooms",) if new else ())
    assert bench.hits_by_result([done], wrong=True)[result] == [True]
    assert not any(hits for hits in bench.hits_by_result([done], wrong=False).values())


def test_right_sentence_is_changed_by_an_edit_of_its_own_alone() -> None:
    mark = Mark("It has 14 rooms.", None, None, "right")
    revised = revision("", "It is 14 metres high.", "140", " It has 14 rooms.")
    assert outcome(revised, "a", mark).result == "contradicted"
    assert outcome(revision("", "It has 14 rooms.", "12"), "a", mark).result == "changed"


def test_text_that_was_written_anew_is_read_by_its_sentences() -> None:
    text, new = "A long hall. It has 14 rooms.", "A very long hall. It has 12 rooms."
    made = revision("", text, "12")
    anew = made.edits[0].model_copy(update={"start": 0, "end": len(text), "old": text, "new": new})
    whole = made.model_copy(update={"text": new, "edits": (anew,)})
    marks = Mark("It has 14 rooms.", "14", "12", "number"), Mark("A long hall.", None, None, "right")
    assert [outcome(whole, "a", mark).result for mark in marks] == [CORRECTED, "changed"]


@pytest.mark.slow
def test_tuned_half_is_as_good_as_it_was(tmp_path: Path) -> None:
    with bench.make_reviser(tmp_path) as by:
        done = [outcome for answer in bench.read_answers("tuned") for outcome in outcomes(by, answer)]
    wrong, right = bench.hits_by_result(done, wrong=True), bench.hits_by_result(done, wrong=False)
    hits = {"supported": wrong["supported"], DAMAGED: wrong[DAMAGED], "changed": right["changed"]}
    assert {name: sum(each) for name, each in hits.items() if sum(each) > MOST[name]} == {}


def revision(before: str, sentence: str, new: str, after: str = "") -> Revision:
    """A text in which 14 became `new`, each sentence contradicted; without `new` nothing was changed."""
    original = before + sentence + after
    start, state = original.index("14"), "accepted" if new else "refused"
    change = edit(start, start + 2, new, old="14", evidence_id="v1", state=state)
    text = original.replace("14", new or "14", 1)
    spans = sentences(text)
    judged = (Sentence(text=s.of(text), start=s.start, end=s.end, status="contradicted") for s in spans)
    report, found = Report(sentences=tuple(judged)), evidence("12 rooms", id="v1")
    return make_revision(original, change, report=report, evidence=(found,))
