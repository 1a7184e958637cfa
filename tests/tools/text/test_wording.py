"""Headings without their marks, and what is said where nothing could be checked."""

import pytest
from makers import TEXT, check, evidence, query

from rarr.records import Notice, Report, Revision, Sentence, Status, Verdict
from rarr.tools.text.section_headings import clean_headings
from rarr.tools.text.wording import HARMLESS, beside_the_reason, nothing_checked


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["## Life", "2. Career", "(3) Death", "- **Legacy**"], ["Life", "Career", "Death", "Legacy"]),
        (["2.1 Early life", "- **Career**", "## 4. Death"], ["Early life", "Career", "Death"]),
        (["12 Angry Men", "9 November 1989"], ["12 Angry Men", "9 November 1989"]),
        (["History", "HISTORY", "  history "], ["History"]),
        (["References", "See also", "External links:", "Notes", "Marie Curie", "", "   "], []),
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


def test_one_successful_check_counts_as_checked() -> None:
    assert nothing_checked(revision("supported", ["unknown", "agrees"], CHECK_FAILED)) == ""
    assert nothing_checked(revision("supported", ["unknown"])) == ""


@pytest.mark.parametrize("code", HARMLESS)
def test_harmless_failure_is_no_reason(code: str) -> None:
    harmless = CHECK_FAILED.model_copy(update={"code": code})
    assert nothing_checked(revision("unjudged", ["unknown"], harmless)) == ""
    assert nothing_checked(revision("unjudged", ["unknown"], harmless, CHECK_FAILED)).startswith(
        "check_failed"
    )


@pytest.mark.parametrize(("status", "checked"), [("unconfirmed", False), ("supported", True)])
def test_unreliable_reader_checks_nothing_where_nothing_was_decided(status: Status, checked: bool) -> None:
    missed = Notice(code="reader_unreliable", message="it missed 3 of 3", node="check_agreement")
    other = CHECK_FAILED.model_copy(update={"code": "x"})
    why = nothing_checked(revision(status, ["unknown"], other, missed))
    assert why.startswith("reader_unreliable") != checked


def test_reason_is_a_failure_rather_than_a_notice_about_the_text() -> None:
    table = Notice(code="table_not_checked", message="1 table not checked", node="generate_queries")
    failed = revision("unjudged", ["unknown"], table, CHECK_FAILED)
    assert nothing_checked(failed).startswith("check_failed: the server is gone (and 1 more warning); ")
    assert beside_the_reason(failed.warnings) == [table]
