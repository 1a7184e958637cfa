"""Warnings as lines, and whether anything was checked: what failed everywhere is no result."""

import pytest
from makers import TEXT, check, evidence, query

from rarr.records import Notice, Report, Revision, Sentence, Status, Verdict
from rarr.tools.text.warning_lines import beside_the_reason, by_reason, grouped, nothing_checked

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


def test_failed_checks_count_as_nothing_checked_despite_the_verifier() -> None:
    assert nothing_checked(revision("supported", ["unknown"], CHECK_FAILED)).startswith("check_failed:")


@pytest.mark.parametrize(
    ("verdicts", "warnings"),
    [
        (["unknown", "agrees"], [CHECK_FAILED]),
        (["unknown"], []),  # the checker could not tell, and did not fail
        ([], []),
    ],
)
def test_one_successful_check_counts_as_checked(verdicts: list[Verdict], warnings: list[Notice]) -> None:
    assert nothing_checked(revision("supported", verdicts, *warnings)) == ""


def test_reason_is_a_failure_rather_than_a_notice_about_the_text() -> None:
    table = Notice(code="table_not_checked", message="1 table not checked", node="generate_queries")
    failed = revision("unjudged", ["unknown"], table, CHECK_FAILED)
    assert nothing_checked(failed).startswith("check_failed: the server is gone (and 1 more warning): ")
    assert beside_the_reason(failed.warnings) == [table]


def test_message_does_not_repeat_its_code() -> None:
    failed = Notice(code="retrieve_failed", message="retrieve failed: it is down", node="retrieve")
    assert grouped([failed]) == ["retrieve_failed: it is down"]


def test_same_warnings_are_counted() -> None:
    first, other = Notice(code="c", message="m", node="n"), Notice(code="c", message="o", node="n")
    assert grouped([first, other, first]) == ["c: m (2 times)", "c: o"]


def test_by_reason_names_the_first_file_of_each_reason() -> None:
    skipped = [("a.pdf", "locked"), ("b.md", "empty"), ("c.pdf", "locked"), ("d.pdf", "locked")]
    assert by_reason(skipped) == ["a.pdf and 2 other files: locked", "b.md: empty"]


def test_by_reason_joins_reasons_that_differ_in_a_detail() -> None:
    skipped = [("a.pdf", "damaged (at 17)"), ("b.pdf", "damaged (at 4 (of 9))"), ("c.pdf", "damaged")]
    assert by_reason(skipped) == ["a.pdf and 2 other files: damaged (at 17)"]


def test_by_reason_counts_repeated_reasons_of_one_file() -> None:
    skipped = [("a.jsonl", f"line {number} is left out") for number in (3, 4, 9)]
    assert by_reason(skipped) == ["a.jsonl: line 3 is left out (3 times)"]
