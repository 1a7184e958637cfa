"""The worst and the best rows, with what was changed in them and what a person changed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rarr.evals.reports import ScoredRow
from rarr.evals.word_diff import word_diff
from rarr.tools.text.nouns import counted

MOST = 10
KEPT, CHANGED = 600, 3000
"""Characters of one run that are shown of what was kept, and of what was changed."""
SEEN = 0.005
"""A smaller change of attribution does not show in two decimals."""
LONGEST = 20_000
"""Characters of one text that are shown in all."""


def ranked(rows: Sequence[ScoredRow]) -> dict[str, list[ScoredRow]]:
    """Rows by F1_AP and by change of attribution, under the headings of their lists."""
    judged = sorted((row for row in rows if row.scores.f1_ap is not None), key=_f1_ap)
    most = min(MOST, len(judged) // 2)
    moved = sorted(rows, key=_change)
    return {
        "Lowest F1_AP": judged[: most or 1],
        "Highest F1_AP": judged[::-1][:most],
        "Attribution fell most": [row for row in moved if _change(row) < -SEEN][:MOST],
        "Attribution rose most": [row for row in reversed(moved) if _change(row) > SEEN][:MOST],
    }


def _change(row: ScoredRow) -> float:
    """By how much the attribution rose; 0, and so in no list, where it was not judged both times."""
    before, after = row.scores.attribution_before, row.scores.attribution_after
    return 0.0 if before is None or after is None else after - before


def _f1_ap(row: ScoredRow) -> float:
    return row.scores.f1_ap or 0.0


def runs(before: str, after: str) -> Iterator[tuple[str, list[str]]]:
    """What was kept, deleted and inserted, as `cut` shows it; at its end a long text is left out."""
    left = LONGEST
    for kind, text in word_diff(before, after):
        if left <= 0:
            yield "kept", ["", "the rest is in report.json", ""]
            return
        yield kind, cut(text, KEPT if kind == "kept" else CHANGED)
        left -= min(len(text), CHANGED)


def cut(text: str, most: int = CHANGED) -> list[str]:
    """A text; of a long one the beginning, the length of its middle, which is left out, and the end."""
    if len(text) <= most + 100:
        return [text]
    half = most // 2
    return [text[:half], f"{len(text) - 2 * half:,} characters", text[-half:]]


def facts(row: ScoredRow) -> list[str]:
    """The edits and the statuses of a row in words."""
    statuses = Counter(status.replace("_", " ") for status in row.statuses)
    return [
        f"edit kinds: {', '.join(row.kinds) or 'none'}",
        counted(row.edits, "edit"),
        f"{row.refused_edits:,} refused",
        f"sentences: {', '.join(f'{n} {status}' for status, n in statuses.items()) or 'none'}",
    ]
