"""Writes the changes of a replay as text. Control characters in the texts are made visible."""

from collections.abc import Iterator
from difflib import unified_diff

from rarr.agent.replay.differences import AskChange
from rarr.agent.replay.replay import Replay
from rarr.records import Check, Edit
from rarr.tools.text.wording import counted
from rarr.views.shown_text import one_line, visible

_SHOWN = 3  # questions, without `full`
_LINES = 12  # of a difference between prompts, without `full`
_QUOTE, _SHORT = 100, 40  # characters


def render(replay: Replay, *, full: bool = False) -> str:
    """Writes the differences in prompts, answers, verdicts, edits and text; with `full`, unshortened."""
    return visible("\n".join(_lines(replay, full))) + "\n"


def _lines(replay: Replay, full: bool) -> Iterator[str]:
    changes = replay.changes
    yield f"run {replay.before.run_id}"
    shown = changes.asked if full else changes.asked[:_SHOWN]
    for change in shown:
        yield from _asked(change, full)
    if left := len(changes.asked) - len(shown):
        yield f"\n… and {counted(left, 'more question')}: --full shows them"
    for verdict in changes.verdicts:
        yield f"\nverdict: {_verdict(verdict.before)} → {_verdict(verdict.after)}"
        yield f"  asked: {one_line(verdict.query.text, _QUOTE)}"
        yield f"  evidence: {one_line(verdict.evidence.text, _QUOTE)}"
    for edit in changes.edits:
        yield f"\nedit: {_edit(edit.before)} → {_edit(edit.after)}"
        yield f"  asked: {one_line(edit.query.text, _QUOTE)}"
    before, after = changes.texts or ("", "")
    if before != after:
        yield ""
        yield from _differing(before, after, "text")
    questions = f"{counted(len(changes.asked), 'question')} or answers"
    counts = [questions, counted(len(changes.verdicts), "verdict"), counted(len(changes.edits), "edit")]
    text = ["the text" if before != after else "no text"] if changes.texts else []
    yield f"\nChanged: {', '.join([*counts, *text])}."
    if replay.asked:
        yield f"Asked for real: {counted(replay.asked, 'question')}, of which {len(replay.failed)} failed."
    elif replay.revision is None or not replay.same:
        yield "Nothing was asked for real: the run has the answers."
    if replay.revision is None:
        yield "The revision was not made again: revise the text with your folder of prompts."
    elif replay.same:
        yield "The revision is the same, byte for byte."


def _differing(before: str, after: str, name: str) -> Iterator[str]:
    names = (f"{name}, recorded", f"{name}, replayed")
    return unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=0)


def _asked(change: AskChange, full: bool) -> Iterator[str]:
    before, after = change.before, change.after
    yield f"\n{change.name} {change.about}".rstrip()
    if before is None or after is None:
        yield "  not asked before" if before is None else "  not asked any more"
    old, new = before.prompt if before else "", after.prompt if after else ""
    prompt = list(_differing(old, new, "prompt"))
    yield from (f"  {line}" for line in (prompt if full else prompt[:_LINES]))
    if not full and len(prompt) > _LINES:
        yield f"  … and {counted(len(prompt) - _LINES, 'line')}"
    was, now = before.answers if before else (), after.answers if after else ()
    for sign, answers in (("-", was), ("+", now)) if was != now else ():
        yield from (f"  {sign} {answer if full else one_line(answer, 2 * _QUOTE)}" for answer in answers)


def _verdict(check: Check | None) -> str:
    if check is None:
        return "not checked"
    answers = f" ({one_line(check.text_answer, _SHORT)!r}, {one_line(check.evidence_answer, _SHORT)!r})"
    return check.verdict + answers * bool(check.text_answer or check.evidence_answer)


def _edit(edit: Edit | None) -> str:
    if edit is None:
        return "none"
    kept = "" if edit.accepted else f", {edit.state}: {one_line(edit.reason, _QUOTE)}"
    return f"“{one_line(edit.old, _SHORT)}” by “{one_line(edit.new, _SHORT)}”{kept}"
