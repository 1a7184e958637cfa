"""Replays many recorded runs with one change of a prompt or model, and counts better and worse results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from rarr.agent.replay.replay import Replay, replay
from rarr.agent.replay.run_differences import Changes
from rarr.errors import InputError, ModelError, RarrError
from rarr.records import Check, Query
from rarr.tools.text.wording import counted
from rarr.traces.trace_reader import Trace

HUMAN = ".revised.txt"
"""The suffix of the file with a person's revision of the text of NAME.json."""


@dataclass
class ChangeCount:
    """Counts changes, and those that are nearer to (better) or further from (worse) a person's revision."""

    changed: int = 0
    better: int = 0
    worse: int = 0

    def count(self, gain: float | None) -> None:
        """Counts a change. `gain`: above 0 is better, below is worse, None is unknown."""
        self.changed += 1
        self.better += gain is not None and gain > 0
        self.worse += gain is not None and gain < 0


@dataclass
class SetReport:
    """The counts over all runs of a folder. `judged` runs have a person's revision.

    `failed` has the error of each run that was not replayed, by file name.
    """

    runs: int = 0
    judged: int = 0
    verdicts: ChangeCount = field(default_factory=ChangeCount)
    edits: ChangeCount = field(default_factory=ChangeCount)
    texts: ChangeCount = field(default_factory=ChangeCount)
    failed: dict[str, str] = field(default_factory=dict)


def replay_set(
    folder: str | Path,
    node: str,
    *,
    on_run: Callable[[int, int], None] | None = None,
    **given: Any,
) -> SetReport:
    """Replays `node`, and everything that depends on it, in each trace (NAME.json) of a folder.

    `given` are the arguments of `replay`: prompt, model, settings. NAME.revised.txt may hold a person's
    revision. Then a verdict is right if it disagrees about characters that the person changed, or agrees
    about others. A text, and its edits, are better if fewer characters differ from the person's text. Raises
    `InputError` for a folder without traces. A run that fails is listed in the report.
    """
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder: give a folder with files of rarr trace export")
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise InputError(f"{folder} has no traces: write some with rarr trace export RUN -o RUN.json")
    report, say = SetReport(), on_run or (lambda done, total: None)
    for number, file in enumerate(files, start=1):
        try:
            replayed = replay(Trace.read(file), node, downstream=True, **given)
            revised = file.with_name(file.stem + HUMAN)
            human = revised.read_text(encoding="utf-8") if revised.is_file() else None
            if replayed.failed:
                raise ModelError(f"{counted(len(replayed.failed), 'question')} failed: {replayed.failed[0]}")
        except (RarrError, OSError, UnicodeDecodeError) as error:
            if "prompt" in given and str(given["prompt"]) in str(error):  # the prompt fits no run
                raise
            report.failed[file.name] = str(error)
        else:
            report.runs += 1
            _count(report, replayed, human)
        say(number, len(files))
    return report


def _count(report: SetReport, replayed: Replay, human: str | None) -> None:
    report.judged += human is not None
    changes, original = replayed.changes, replayed.before.file.facts.original
    changed = None if human is None else list(_changed_ranges(original, human))
    for change in changes.verdicts:
        if change.before is None or change.after is None:  # an added or missing check follows from others
            continue
        right = [_right(check, change.query, changed) for check in (change.before, change.after)]
        report.verdicts.count(None if changed is None else right[1] - right[0])
    gain = _gain(changes, human)
    for _ in changes.edits:
        report.edits.count(gain)
    if changes.texts and changes.texts[0] != changes.texts[1]:
        report.texts.count(gain)


def _right(check: Check | None, query: Query, changed: list[tuple[int, int]] | None) -> int:
    """Returns 1 for a verdict that a person's changes confirm, -1 for a contradicted one, 0 if unknown."""
    if check is None or changed is None or check.verdict not in ("agrees", "disagrees"):
        return 0
    wrong = any(start < query.end and query.start < end for start, end in changed)
    return 1 if (check.verdict == "disagrees") == wrong else -1


def _changed_ranges(original: str, human: str) -> Iterator[tuple[int, int]]:
    """Yields the ranges of the original that a person changed; for an insertion, the character after it."""
    for op in Levenshtein.opcodes(original, human):
        if op.tag != "equal":
            yield op.src_start, max(op.src_end, op.src_start + 1)


def _gain(changes: Changes, human: str | None) -> float | None:
    if human is None or changes.texts is None:
        return None
    before, after = (Levenshtein.distance(text, human) for text in changes.texts)
    return before - after
