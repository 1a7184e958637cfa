"""A citation inside a sentence stands for the words before it; what it leaves open stays open."""

import pytest
from makers import evidence

from rarr import cite
from rarr.agent.citing.citation_run import CitationRun
from rarr.agent.citing.cited_clauses import clause_before
from rarr.records import Notice, Part, Report, Revision, Sentence, Status
from rarr.records.citations import Cited
from rarr.testing import scripted_components
from rarr.tools.text.citation_marks import citation_marks

HEIGHT = "Hoover Dam is 221 metres high and 379 metres long."
YEAR = "Hoover Dam was completed in 1936."
BOTH = "The Hoover Dam is 221 metres high [1] and was completed in 1936 [2]."


def clauses(text: str) -> list[str | None]:
    marks = citation_marks(text)
    found = [clause_before(text, mark, marks) for mark in marks]
    return [None if clause is None else clause.span.of(clause.text) for clause in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOTH, ["The Hoover Dam is 221 metres high.", "The Hoover Dam was completed in 1936."]),
        ("It is high [1][3], it was built in 1936 [2].", [*["It is high."] * 2, "It was built in 1936."]),
        ("The dam is high [1] and old.", ["The dam is high."]),
        ("The dam is high [1].", [None]),
        ("The dam is high [1][2].", [None, None]),
        ("Radium [1] had been found by her [2].", [None, "Radium had been found by her."]),
        ("| a | b |\n|---|---|\n| Height | was 221 [1] and is 222 [2] |\n", [None, None]),
    ],
)  # fmt: skip
def test_clause_is_the_words_between_two_marks(text: str, expected: list[str | None]) -> None:
    assert clauses(text) == expected


def body(cited: Cited) -> str:
    return cited.text[: cited.list_start]


def test_each_clause_has_a_citation_of_its_own() -> None:
    cited = cite(BOTH, passages=[HEIGHT, YEAR], mark_unsupported=True)
    assert [(check.state, check.part) for check in cited.existing] == [("supported", True)] * 2
    assert body(cited) == BOTH


def test_citation_of_another_clause_is_still_wrong() -> None:
    turned = BOTH.replace("[1]", "[9]").replace("[2]", "[1]").replace("[9]", "[2]")
    checks = cite(turned, passages=[HEIGHT, YEAR]).existing
    assert [check.state for check in checks] == ["not_supported", "not_supported"]


def test_words_behind_the_last_citation_need_another() -> None:
    text = "The Hoover Dam is 221 metres high [1] and was painted in 1950."
    cited = cite(text, passages=[HEIGHT, YEAR], mark_unsupported=True)
    assert [(check.state, check.part) for check in cited.existing] == [("supported", True)]
    assert body(cited) == f"{text}[citation needed]"


def researched(status: Status, *warnings: Notice) -> Revision:
    """A sentence with two parts, each confirmed by a passage of its own."""
    text = "It is red and old."
    parts = (
        Part(start=6, end=9, state="confirmed", evidence_id="q1.1"),
        Part(start=14, end=17, state="confirmed", evidence_id="q2.1"),
    )
    sentence = Sentence(
        text=text, start=0, end=len(text), status=status, support=0.9, parts=parts,
        evidence_ids=("q1.1", "q2.1"),
    )  # fmt: skip
    return Revision(
        run_id="r",
        original=text,
        text=text,
        changed=False,
        evidence=(evidence("It is red.", id="q1.1"), evidence("It is old.", id="q2.1")),
        report=Report(sentences=(sentence,)),
        warnings=warnings,
    )


async def marked(status: Status, *warnings: Notice) -> str:
    run = CitationRun(mark_unsupported=True)
    return body(await run.cited(researched(status, *warnings), None, scripted_components()))


@pytest.mark.parametrize("status", ["supported", "contradicted", "unconfirmed", "no_evidence", "unjudged"])
async def test_every_sentence_to_check_gets_a_citation_or_a_mark(status: Status) -> None:
    """No passage confirms both parts, so that no citation stands behind the sentence."""
    assert await marked(status) == "It is red and old.[citation needed]"


async def test_failure_is_no_finding() -> None:
    failed = Notice(code="verification_failed", message="down", node="attribute")
    assert await marked("unjudged", failed) == await marked("retrieval_failed") == "It is red and old."
