"""Writes warnings as lines for a person."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rarr.records import Notice, Revision
from rarr.tools.text.nouns import counted

_CURE = ": correct that, or see rarr doctor"
_DETAIL = re.compile(r"\s*\(.*\)|\d+")

NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="the text holds no claim to ask about: it is returned unchanged and unjudged",
    node="generate_queries",
)


def grouped(warnings: Iterable[Notice]) -> list[str]:
    """Each warning once, as `code: message`, with the number of times."""
    counts = Counter((notice.code, _short_message(notice)) for notice in warnings)
    return [
        f"{code}: {message}" + (f" ({count} times)" if count > 1 else "")
        for (code, message), count in counts.items()
    ]


def by_reason(skipped: Iterable[tuple[str, str]]) -> list[str]:
    """A line a reason, of (file, reason) pairs: the first file that it is said of, and how many others.

    Reasons that differ in numbers, or in what stands in brackets, are one: the first of them is told.
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for file, reason in skipped:
        alike.setdefault(_DETAIL.sub("", reason), []).append((file, reason))
    return [_of_reason(pairs) for pairs in alike.values()]


def _of_reason(pairs: Sequence[tuple[str, str]]) -> str:
    file, reason = pairs[0]
    others = len({name for name, _ in pairs}) - 1
    more = f" and {counted(others, 'other file')}" if others else ""
    times = f" ({len(pairs)} times)" if len(pairs) > others + 1 else ""
    return f"{file}{more}: {reason}{times}"


def _short_message(notice: Notice) -> str:
    """The message as it is read after the code, without the words that the code tells already."""
    return notice.message.removeprefix(f"{notice.code.removesuffix('_failed')} failed: ")


def nothing_checked(revision: Revision) -> str:
    """Why nothing could be checked, in one line with the cure: all searches, checks or judgements failed.

    Empty where something was checked, unless a language model was asked and never answered. A text without
    checkable claims is not a failure.
    """
    codes = {notice.code for notice in revision.warnings}
    statuses = {sentence.status for sentence in revision.report.sentences}
    if not statuses or "nothing_to_check" in codes:
        return ""
    failed = any(_is_failure(notice) for notice in revision.warnings)
    unjudged = statuses <= {"retrieval_failed", "unjudged"} and failed
    usage = revision.usage
    unanswered = usage.model_calls > 0 and usage.input_tokens == 0
    undecided = {check.verdict for check in revision.checks} == {"unknown"}
    unchecked = "check_failed" in codes and (unanswered or undecided)
    if not (statuses == {"retrieval_failed"} or unjudged or unchecked):
        return ""
    why = next(iter(grouped(_reason(revision.warnings))), "no source of evidence could be searched")
    others = len(grouped(beside_the_reason(revision.warnings)))
    more = f" (and {counted(others, 'more warning')})" if others else ""
    return why + more + ("" if "budget_exhausted" in codes else _CURE)


def beside_the_reason(warnings: Sequence[Notice]) -> list[Notice]:
    """The warnings that do not repeat the first failure, as the warnings of a resting server would."""
    reason = next((notice.message for notice in _reason(warnings)), "")
    return [notice for notice in warnings if reason not in notice.message and notice.message not in reason]


def _reason(warnings: Sequence[Notice]) -> Sequence[Notice]:
    """The first failure, or else the first warning; empty without warnings."""
    return [notice for notice in warnings if _is_failure(notice)][:1] or warnings[:1]


def _is_failure(notice: Notice) -> bool:
    return notice.code.endswith("_failed") or notice.code == "budget_exhausted"
