"""Nouns after numbers, and with their articles."""

import pytest
from makers import TEXT, check, evidence, query

from rarr.records import Notice, Report, Revision, Sentence, Status, Verdict
from rarr.tools.text.section_headings import clean_headings
from rarr.tools.text.wording import beside_the_reason, by_reason, counted, grouped, kind_of, nothing_checked


def test_nouns_are_counted() -> None:
    counts = [counted(1, "run"), counted(1000, "query"), counted(2, "day"), counted(2, "branch")]
    assert counts == ["1 run", "1,000 queries", "2 days", "2 branches"]
    assert [kind_of(value) for value in (1, "", OSError())] == ["an int", "a str", "an OSError"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["## Early life", "2. Career", "(3) Death", "- **Legacy**"],
            ["Early life", "Career", "Death", "Legacy"],
        ),
        (["References", "See also", "External links:", "Notes"], []),
        (["History", "HISTORY", "  history "], ["History"]),
        (["Marie Curie", "", "   "], []),
        (["12 Angry Men", "9 November 1989"], ["12 Angry Men", "9 November 1989"]),
        (["2.1 Early life", "3: Career", "## 4. Death"], ["Early life", "Career", "Death"]),
    ],
)
def test_headings_are_clean(lines: list[str], expected: list[str]) -> None:
    assert clean_headings(lines, "Marie Curie") == expected


CHECK_FAILED = Notice(code="check_failed", message="the server is gone", node="check_agreement")


def revision(status: Status, verdicts: list[Verdict], *warnings: Notice) -> Revision:
    return Revision(
        run_id="",
        original=TEXT,
        text=TEXT,
        changed=False,
        queries=(query(),),
        evidence=(evidence(),),
        checks=tuple(check(verdict) for verdict in verdicts),
        report=Report(sentences=(Sentence(text=TEXT, start=0, end=len(TEXT), status=status),)),
        warnings=warnings,
    )


@pytest.mark.parametrize(
    ("verdicts", "warnings"), [(["unknown", "agrees"], [CHECK_FAILED]), (["unknown"], [])]
)
def test_one_successful_check_counts_as_checked(verdicts: list[Verdict], warnings: list[Notice]) -> None:
    assert nothing_checked(revision("supported", verdicts, *warnings)) == ""


def test_reason_is_a_failure_rather_than_a_notice_about_the_text() -> None:
    table = Notice(code="table_not_checked", message="1 table not checked", node="generate_queries")
    failed = revision("unjudged", ["unknown"], table, CHECK_FAILED)
    assert nothing_checked(failed).startswith("check_failed: the server is gone (and 1 more warning); ")
    assert beside_the_reason(failed.warnings) == [table]


def test_same_warnings_are_counted() -> None:
    first, other = Notice(code="c", message="m", node="n"), Notice(code="c", message="o", node="n")
    assert grouped([first, other, first]) == ["c: m (2 times)", "c: o"]


def test_by_reason_joins_reasons_that_differ_in_a_detail() -> None:
    skipped = [("a.pdf", "damaged (at 17)"), ("b.pdf", "damaged (at 4 (of 9))"), ("c.pdf", "damaged")]
    assert by_reason(skipped) == ["a.pdf and 2 other files: damaged (at 17)"]
