"""Writes parts of messages: numbers with nouns, safe forms of foreign text, lines about warnings."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `rarr --help` imports this file, and shall not wait for pydantic
    from rarr.records import Notice, Revision

NO_RESULT = "no_result"  # the run gave no answer or text
HARMLESS_CODES = ("cache_failed", "trace_failed")  # after such a warning, everything is still checked
_UNREAD = {"budget_exhausted", "block_too_long"}  # warnings about text that was not read
_NUMBER_OR_BRACKETS = re.compile(r" ?\(.*\)|\d+")


def counted(n: int, noun: str) -> str:
    """Writes a number with its noun: 1 row, 2 rows, 1,000 queries, 3 branches."""
    many = re.sub(r"(?<=[^aeiou])y\Z", "ie", noun) + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
    return f"{n:,} {noun if n == 1 else many}"


def kind_of(value: object) -> str:
    """Returns the class of `value` with an article: an int, a str."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in {*'aeio'} else 'a'} {name}"


def safe_text(text: str, most: int = 100) -> str:
    """Makes `text` safe for a message: replaces unprintable characters, cuts it to `most` characters."""
    safe = "".join(character if character.isprintable() else "\ufffd" for character in text[: most + 1])
    return f"{safe[: most - 1]}…" if len(safe) > most else safe


def warning_lines(warnings: "Iterable[Notice]") -> list[str]:
    """Writes each different warning once, as `code: message`. Adds the count of a repeated warning."""
    counts = Counter(  # a message may begin with the words of its code, such as "check failed: "
        f"{it.code}: {it.message.removeprefix(it.code.removesuffix('_failed') + ' failed: ')}"
        for it in warnings
    )
    return [line + (f" ({count} times)" if count > 1 else "") for line, count in counts.items()]


def lines_by_reason(skipped: Iterable[tuple[str, str]]) -> list[str]:
    """Writes one line for each reason in (file, reason) pairs: up to ten files, and the count of others.

    Reasons that differ only in numbers or brackets count as one. The line shows the first of these reasons.
    """
    alike: dict[str, dict[str, str]] = {}
    for file, reason in skipped:
        alike.setdefault(_NUMBER_OR_BRACKETS.sub("", reason), {}).setdefault(file, reason)
    lines: list[str] = []
    for (file, reason), *others in map(dict.items, alike.values()):
        names = [name for name, _ in others[:9]]
        names += [f"and {counted(left, 'other file')}"] if (left := len(others) - len(names)) else []
        lines.append(f"{file}: {reason}{'; also ' * bool(names)}{', '.join(names)}")
    return lines


def why_nothing_checked(revision: "Revision") -> str:
    """Writes a line with the reason why nothing could be checked, such as searches that failed.

    Returns "" if something was checked, or if the text has nothing to check.
    """
    from rarr.records import NOT_JUDGED  # not at the top: `rarr --help` shall not wait for it

    warnings, usage, codes = revision.warnings, revision.usage, {it.code for it in revision.warnings}
    statuses = {it.status for it in revision.report.sentences}
    verdicts = {it.verdict for it in revision.checks}
    failed = statuses == {"retrieval_failed"} or (statuses <= NOT_JUDGED and any(map(is_failure, warnings)))
    unanswered = usage.model_calls > 0 and usage.output_tokens == 0 and not usage.saved_calls
    unchecked = "check_failed" in codes and (unanswered or verdicts == {"unknown"})
    undecided = verdicts <= {"unknown"} and statuses.isdisjoint(("supported", "contradicted"))
    is_checked = not (failed or unchecked or (undecided and "reader_unreliable" in codes))
    if NO_RESULT in codes or is_checked or not statuses or "nothing_to_check" in codes:
        return next((it.message for it in warnings if it.code == NO_RESULT), "")
    reasons = [*(it for it in warnings if is_failure(it) or it.code == "reader_unreliable"), *warnings]
    why = next(iter(warning_lines(reasons[:1])), "no source of evidence could be searched")
    return f"{why}{'' if codes & _UNREAD or 'rarr doctor' in why else '; see rarr doctor'}"


def is_failure(notice: "Notice") -> bool:
    """Tells whether a warning tells of unread text, or of a failure that may leave text unchecked."""
    return (notice.code.endswith("_failed") and notice.code not in HARMLESS_CODES) or notice.code in _UNREAD


def unreadable_answer(name: str) -> str:
    """Returns a message that the model `name` gave no readable answer; for vllm:NAME, also how to test it."""
    test = f"test the model by rarr doctor --model {name}" if all(name.partition(":")) else ""
    return f"{name} did not answer in the requested form: {test or 'name another model'}"
