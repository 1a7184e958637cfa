"""Renders the changes of a replay as text or JSON. Control characters in the texts are made visible."""

from collections.abc import Iterator
from dataclasses import asdict
from difflib import unified_diff
from typing import Any

from rarr.agent.replay.replay import Replay
from rarr.agent.replay.replay_sets import ChangeCount, SetReport
from rarr.agent.replay.run_differences import AskChange, Changes, SentQuestion
from rarr.records import Check, Edit
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.revision import as_json as json_of, one_line, visible

_SHOWN = 3  # questions, without `full`
_LINES = 12  # of a difference between prompts, without `full`
_QUOTE = 100


def render(replay: Replay, *, full: bool = False, as_json: bool = False) -> str:
    """Renders the differences in prompts, answers, verdicts, edits and text; with `full`, unshortened."""
    if as_json:
        return json_of(_json_fields(replay))
    return visible("\n".join(_lines(replay, full))) + "\n"


def render_set(report: SetReport, *, as_json: bool = False) -> str:
    """Renders how many verdicts, edits and texts changed, and how many became better or worse."""
    if as_json:
        return json_of(asdict(report))
    known = f", {report.judged} of them with a person's revision" if report.judged else ""
    lines = [f"{counted(report.runs, 'run')} replayed{known}"]
    lines += [
        f"  {name:<9} {_tally(getattr(report, name), judged=bool(report.judged))}"
        for name in ("verdicts", "edits", "texts")
    ]
    return "\n".join(lines) + "\n"


def _tally(tally: ChangeCount, *, judged: bool) -> str:
    judgement = f": {tally.better} better, {tally.worse} worse" if judged else ""
    return f"{tally.changed} changed{judgement}"


def _lines(replay: Replay, full: bool) -> Iterator[str]:
    changes, revision = replay.changes, replay.revision
    yield f"run {replay.before.run_id}"
    yield from _asked(changes.asked, full)
    for verdict in changes.verdicts:
        yield f"\nverdict: {_verdict_words(verdict.before)} → {_verdict_words(verdict.after)}"
        yield f"  asked: {one_line(verdict.query.text, _QUOTE)}"
        yield f"  evidence: {one_line(verdict.evidence.text, _QUOTE)}"
    for edit in changes.edits:
        yield f"\nedit: {_edit_words(edit.before)} → {_edit_words(edit.after)}"
        yield f"  asked: {one_line(edit.query.text, _QUOTE)}"
    yield from _text(changes)
    yield ""
    yield _summary(changes)
    if replay.asked:
        yield f"Asked for real: {counted(replay.asked, 'question')}, of which {len(replay.failed)} failed."
    elif revision is None or not replay.same:
        yield "Nothing was asked for real: the run has the answers."
    if revision is None:
        yield "The revision was not made again: --downstream runs on to it."
    elif replay.same:
        yield "The revision is the same, byte for byte."


def _asked(asked: list[AskChange], full: bool) -> Iterator[str]:
    shown = asked if full else asked[:_SHOWN]
    for change in shown:
        yield f"\n{change.name} {change.about}".rstrip()
        if change.before is None or change.after is None:
            yield "  not asked before" if change.before is None else "  not asked any more"
        yield from _difference(change.before, change.after, full)
    if len(asked) > len(shown):
        yield f"\n… and {counted(len(asked) - len(shown), 'more question')}: --full shows them"


def _difference(before: SentQuestion | None, after: SentQuestion | None, full: bool) -> Iterator[str]:
    old, new = (question.prompt.splitlines() if question else [] for question in (before, after))
    prompt = list(unified_diff(old, new, "prompt, recorded", "prompt, replayed", lineterm="", n=0))
    yield from (f"  {line}" for line in (prompt if full else prompt[:_LINES]))
    if not full and len(prompt) > _LINES:
        yield f"  … and {counted(len(prompt) - _LINES, 'line')}"
    answers = [list(question.answers) if question else [] for question in (before, after)]
    if answers[0] != answers[1]:
        yield from (f"  - {answer if full else one_line(answer, 2 * _QUOTE)}" for answer in answers[0])
        yield from (f"  + {answer if full else one_line(answer, 2 * _QUOTE)}" for answer in answers[1])


def _text(changes: Changes) -> Iterator[str]:
    if changes.texts and changes.texts[0] != changes.texts[1]:
        old, new = (text.splitlines() for text in changes.texts)
        yield ""
        yield from unified_diff(old, new, "text, recorded", "text, replayed", lineterm="", n=0)


def _summary(changes: Changes) -> str:
    parts = [
        f"{counted(len(changes.asked), 'question')} or {'answer' if len(changes.asked) == 1 else 'answers'}",
        counted(len(changes.verdicts), "verdict"),
        counted(len(changes.edits), "edit"),
    ]
    if changes.texts:
        parts.append("the text" if changes.texts[0] != changes.texts[1] else "no text")
    return f"Changed: {', '.join(parts)}."


def _verdict_words(check: Check | None) -> str:
    if check is None:
        return "not checked"
    answers = f" ({one_line(check.text_answer, 40)!r}, {one_line(check.evidence_answer, 40)!r})"
    return check.verdict + answers * bool(check.text_answer or check.evidence_answer)


def _edit_words(edit: Edit | None) -> str:
    if edit is None:
        return "none"
    kept = "" if edit.accepted else f", {edit.state}: {one_line(edit.reason, 60)}"
    return f"“{one_line(edit.old, 40)}” by “{one_line(edit.new, 40)}”{kept}"


def _json_fields(replay: Replay) -> dict[str, Any]:
    changes = replay.changes
    return {
        "run_id": replay.before.run_id,
        "same": replay.same if replay.revision else None,
        "asked": replay.asked,
        "failed": replay.failed,
        "questions": [
            {
                "about": change.about,
                "name": change.name,
                "before": _fields(change.before),
                "after": _fields(change.after),
            }
            for change in changes.asked
        ],
        "verdicts": [_dumped(change._asdict()) for change in changes.verdicts],
        "edits": [_dumped(change._asdict()) for change in changes.edits],
        "revision": replay.revision and replay.revision.model_dump(mode="json"),
    }


def _fields(asked: SentQuestion | None) -> dict[str, Any] | None:
    return asked and asked._asdict()


def _dumped(values: dict[str, Any]) -> dict[str, Any]:
    return {name: record and record.model_dump(mode="json") for name, record in values.items()}
