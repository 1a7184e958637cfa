"""Headings without their marks, and the message if nothing could be checked."""

import pytest
from makers import TEXT, check, query, revision

from rarr.records import Notice, Status, Verdict
from rarr.tools.text.section_headings import clean_headings
from rarr.tools.text.wording import HARMLESS_CODES, why_nothing_checked


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
HARMLESS_ONES = [CHECK_FAILED.model_copy(update={"code": code}) for code in HARMLESS_CODES]
ANOTHER = CHECK_FAILED.model_copy(update={"code": "x"})
TABLE = Notice(code="table_not_checked", message="1 table not checked", node="generate_queries")
MISSED = Notice(code="reader_unreliable", message="it missed 3 of 3", node="check_agreement")


@pytest.mark.parametrize(
    ("status", "verdicts", "warnings", "why"),
    [
        ("supported", ["unknown", "agrees"], [CHECK_FAILED], ""),
        ("supported", ["unknown"], [], ""),
        ("supported", ["unknown"], [MISSED], ""),
        ("unconfirmed", ["unknown"], [ANOTHER, MISSED], "reader_unreliable"),
        *(("unjudged", ["unknown"], [harmless], "") for harmless in HARMLESS_ONES),
        ("unjudged", ["unknown"], [*HARMLESS_ONES, CHECK_FAILED], "check_failed"),
        ("unjudged", ["unknown"], [TABLE, CHECK_FAILED], "check_failed"),
    ],
)
def test_nothing_was_checked_where_a_failure_or_an_unreliable_reader_decided_all(
    status: Status, verdicts: list[Verdict], warnings: list[Notice], why: str
) -> None:
    checks = tuple(check(verdict) for verdict in verdicts)
    made = revision(TEXT, statuses=[status], queries=(query(),), checks=checks, warnings=tuple(warnings))
    assert why_nothing_checked(made).partition(":")[0] == why
