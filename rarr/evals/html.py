"""Writes an evaluation as one page of HTML, which has no script and loads nothing.

The same report gives the same page. The templates lie in `page/`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

from rapidfuzz.distance import Indel

from rarr.evals.measures import STATUSES, EvalReport, ScoredRow
from rarr.evals.metrics import EDIT_KINDS, restored
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.edit_segments import Piece, merged
from rarr.tools.text.wording import counted

_KINDS = {
    "huge": "preservation below 0.5",
    "bad": "attribution falls by more than 0.1",
    "unnecessary": "bad, and attribution was above 0.9",
    "good": "attribution rises by more than 0.3, preservation above 0.7",
}
"""The kinds of edit of PURR (Chen 2023, figure 7.2)."""

MOST = 10
"""The most rows of a list of cases."""
KEPT, CHANGED = 600, 3000
"""The most characters that are shown of an unchanged ("kept") segment, and of a changed segment."""
LONGEST = 20_000
"""The most characters of one text that are compared and shown."""
# A number with its separators is one word, and so is a punctuation mark. In scripts without spaces, each
# character is a word; otherwise one changed character would change a whole clause. White space is kept.
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)+|[぀-ヿ㐀-䶿一-鿿]|[^\W぀-ヿ㐀-䶿一-鿿]+|[^\w\s]|\s+")


def render_html(report: EvalReport) -> str:
    """Renders the HTML page of an evaluation's report. Write it as UTF-8."""
    measures = report.measures
    statuses = Counter(status for row in report.rows for status in row.statuses)
    return render(
        "evals/page/report.html",
        report=report,
        changed=sum(row.text != row.original for row in report.rows),
        judged=sum(row.scores.f1_ap is not None for row in report.rows),
        scores={name: measure for name, measure in measures.items() if name not in {*EDIT_KINDS, *STATUSES}},
        kinds={kind: measures[kind] for kind in _KINDS if kind in measures},
        meanings=_KINDS,
        statuses={status: statuses[status] for status in STATUSES if statuses[status]},
        cases=SimpleNamespace(ranked=ranked, runs=runs, cut=cut, facts=facts),
        restored=restored,
    )


def ranked(rows: Sequence[ScoredRow]) -> dict[str, list[ScoredRow]]:
    """Lists the rows with the lowest and the highest F1_AP, by heading, without rows that were not judged."""
    judged = sorted(
        (row for row in rows if row.scores.f1_ap is not None), key=lambda it: it.scores.f1_ap or 0
    )
    most = min(MOST, len(judged) // 2)
    return {"Lowest F1_AP": judged[: most or 1], "Highest F1_AP": judged[::-1][:most]}


def runs(before: str, after: str) -> Iterator[tuple[str, list[str]]]:
    """Yields the kept, deleted and inserted segments between two texts, each shortened by `cut`."""
    for kind, text, _ in word_diff(before[:LONGEST], after[:LONGEST]):
        yield kind, cut(text, KEPT if kind == "kept" else CHANGED)
    if max(len(before), len(after)) > LONGEST:
        yield "kept", ["", "the rest is in report.json", ""]


def word_diff(before: str, after: str) -> list[Piece]:
    """Compares two texts by words. Kept and deleted segments are `before`, kept and inserted ones `after`.

    A space between two changed words is changed with them.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    pieces = list[Piece]()
    for op in Indel.opcodes(old, new):
        gone, come = "".join(old[op.src_start : op.src_end]), "".join(new[op.dest_start : op.dest_end])
        pieces += (
            [Piece("kept", gone)] if op.tag == "equal" else [Piece("deleted", gone), Piece("inserted", come)]
        )
    whole = list(merged(pieces))
    spaces = {n for n, it in enumerate(whole[1:-1], start=1) if it.kind == "kept" and it.text.isspace()}
    changed = (
        [Piece("deleted", it.text), Piece("inserted", it.text)] if n in spaces else [it]
        for n, it in enumerate(whole)
    )
    return list(merged(piece for both in changed for piece in both))


def cut(text: str, most: int = CHANGED) -> list[str]:
    """Returns [text] or, if it is long, its beginning, "N characters" for its middle, and its end."""
    if len(text) <= most + 100:
        return [text]
    half = most // 2
    return [text[:half], f"{len(text) - 2 * half:,} characters", text[-half:]]


def facts(row: ScoredRow) -> list[str]:
    """Writes the kinds and numbers of edits and the statuses of sentences of a row in words."""
    statuses = Counter(status.replace("_", " ") for status in row.statuses)
    return [
        f"edit kinds: {', '.join(row.kinds) or 'none'}",
        counted(row.edits, "edit"),
        f"{row.refused_edits:,} refused",
        f"sentences: {', '.join(f'{n} {status}' for status, n in statuses.items()) or 'none'}",
    ]
