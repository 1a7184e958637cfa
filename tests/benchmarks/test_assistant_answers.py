"""Accepted edits beside a human revision."""

import pytest

from benchmarks.assistant_answers import annotated, judgements, verdict_by
from rarr import Edit, Evidence, Report, Revision, Sentence


def edit(start: int, old: str, new: str) -> Edit:
    return Edit(
        id="e1",
        start=start,
        end=start + len(old),
        old=old,
        new=new,
        query_id="q1",
        evidence_id="v1",
        state="accepted",
        reason="",
    )


@pytest.mark.parametrize(
    ("human", "verdict"),
    [
        ("They won five titles.", "correct"),
        ("They won Five titles.", "correct"),
        ("They won four titles, not five.", "wrong"),
        ("They won fourteen titles.", ""),
        ("", ""),
    ],
)
def test_edit_is_judged_by_the_values_that_the_human_left(human: str, verdict: str) -> None:
    assert verdict_by(human, edit(9, "four", "five")) == verdict


@pytest.mark.parametrize(
    ("sentence", "whole", "verdict"),
    [
        ("They won five.", "They won four.", "correct"),
        ("", "They won five.", "correct"),
        ("", "", "undecided"),
    ],
)
def test_sentence_counts_before_the_whole(sentence: str, whole: str, verdict: str) -> None:
    answer = {
        "id": "a",
        "revised": whole,
        "meta": {"sentences": [{"text": "They won four.", "revised": sentence}]},
    }
    (judged,) = judgements(answer, revision("They won four.", edit(9, "four", "five")))
    assert (judged.verdict, judged.before, judged.evidence) == (verdict, "They won four.", "It was five.")


@pytest.mark.parametrize(
    ("factual", "label"), [(True, "factual"), (False, "not factual"), ("NA", "not annotated")]
)
def test_status_stands_beside_the_annotation(factual: object, label: str) -> None:
    answer = {"meta": {"sentences": [{"text": " One. ", "factual": factual}]}}
    sentences = [Sentence(text=text, start=0, end=4, status="supported") for text in ("One.", "Two.")]
    report = Report(sentences=tuple(sentences))
    judged = Revision(run_id="r", original="One. Two.", text="One. Two.", changed=False, report=report)
    assert list(annotated(answer, judged)) == [("supported", label), ("supported", "not annotated")]


def revision(text: str, made: Edit) -> Revision:
    evidence = Evidence(
        id="v1",
        query_id="q1",
        text="It was\nfive.",
        source="s",
        start=0,
        end=12,
        relevance=1,
        retrieved_at="2024-01-01T00:00:00Z",
    )
    changed = text[: made.start] + made.new + text[made.end :]
    return Revision(
        run_id="r", original=text, text=changed, changed=True, edits=(made,), evidence=(evidence,)
    )
