"""One change of a prompt or model, over many recorded runs: what it changes, for better or for worse."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from rarr.agent.replay.changes import Changes
from rarr.agent.replay.replay import Replay, replay
from rarr.errors import InputError, ModelError, RarrError
from rarr.records import Check, Query
from rarr.tools.text.nouns import counted
from rarr.traces.trace import Trace

HUMAN = ".revised.txt"
"""Beside NAME.json, a person's revision of the text is NAME and this."""


@dataclass
class Tally:
    """How many changed; how many of them for better or worse, where a person's revision tells that."""

    changed: int = 0
    better: int = 0
    worse: int = 0

    def count(self, gain: float | None) -> None:
        """One that changed. `gain`: above 0 for better, below for worse; None: nobody knows."""
        self.changed += 1
        self.better += gain is not None and gain > 0
        self.worse += gain is not None and gain < 0


@dataclass
class SetReport:
    """Over all runs of a folder. `failed` says of each run that could not be replayed, why."""

    runs: int = 0
    judged: int = 0
    verdicts: Tally = field(default_factory=Tally)
    edits: Tally = field(default_factory=Tally)
    texts: Tally = field(default_factory=Tally)
    failed: dict[str, str] = field(default_factory=dict)


def replay_set(
    folder: str | Path,
    node: str,
    *,
    on_run: Callable[[int, int], None] | None = None,
    **given: Any,
) -> SetReport:
    """Replays `node`, and all that depends on it, in each trace (NAME.json) of a folder.

    `given` is what `replay` takes: prompt, model, settings. Where NAME.revised.txt has a person's revision, a
    verdict is right that disagrees where they changed what it is about, or agrees where they did not; the
    edits of a text are for the better, as the text is, if fewer characters part it from theirs. Raises
    `InputError` for a folder without traces; a run that fails is in the report.
    """
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is no folder: give one with files of rarr trace export")
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise InputError(f"{folder} has no traces: export some, as in rarr trace export RUN -o RUN.json")
    report, say = SetReport(), on_run or (lambda done, total: None)
    for number, file in enumerate(files, start=1):
        try:
            replayed = replay(Trace.read(file), node, downstream=True, **given)
            revised = file.with_name(file.stem + HUMAN)
            human = revised.read_text(encoding="utf-8") if revised.is_file() else None
            if replayed.failed:
                raise ModelError(f"{counted(len(replayed.failed), 'question')} failed: {replayed.failed[0]}")
        except (RarrError, OSError, UnicodeDecodeError) as error:
            if "prompt" in given and str(given["prompt"]) in str(error):  # it fits no run
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
    changed = None if human is None else list(_changed(original, human))
    for one in changes.verdicts:
        if one.before is None or one.after is None:  # what is asked besides follows from the others
            continue
        right = [_right(check, one.query, changed) for check in (one.before, one.after)]
        report.verdicts.count(None if changed is None else right[1] - right[0])
    gain = _gain(changes, human)
    for _ in changes.edits:
        report.edits.count(gain)
    if changes.texts and changes.texts[0] != changes.texts[1]:
        report.texts.count(gain)


def _right(check: Check | None, query: Query, changed: list[tuple[int, int]] | None) -> int:
    """1 for a verdict that a person's changes bear out, -1 for one that they contradict, else 0."""
    if check is None or changed is None or check.verdict not in ("agrees", "disagrees"):
        return 0
    wrong = any(start < query.end and query.start < end for start, end in changed)
    return 1 if (check.verdict == "disagrees") == wrong else -1


def _changed(original: str, human: str) -> Iterator[tuple[int, int]]:
    """What a person changed of the original; where they inserted, the character behind it."""
    for op in Levenshtein.opcodes(original, human):
        if op.tag != "equal":
            yield op.src_start, max(op.src_end, op.src_start + 1)


def _gain(changes: Changes, human: str | None) -> float | None:
    if human is None or changes.texts is None:
        return None
    before, after = (Levenshtein.distance(text, human) for text in changes.texts)
    return before - after
