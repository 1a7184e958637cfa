"""The worst and the best rows, with what was changed in them and what a person changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rarr.evals.page.markup import first
from rarr.evals.reports import ScoredRow
from rarr.evals.word_diff import word_diff
from rarr.tools.text.diff import Segment
from rarr.tools.text.markup import folded, isolated, number, paragraph, section, shown
from rarr.tools.text.nouns import counted

MOST = 10
KEPT, CHANGED = 600, 3000
"""Characters of one run that are shown of what was kept, and of what was changed."""
SEEN = 0.005
"""A smaller change of attribution does not show in two decimals."""
LONGEST = 20_000
"""Characters of one text that are shown in all."""


def cases(rows: Sequence[ScoredRow]) -> str:
    """Rows by F1_AP and by change of attribution; those without F1_AP are named, not ranked."""
    ranked = sorted((row for row in rows if row.scores.f1_ap is not None), key=_f1_ap)
    most = min(MOST, len(ranked) // 2)
    moved = sorted(rows, key=_change)
    falls = [row for row in moved if _change(row) < -SEEN][:MOST]
    rises = [row for row in reversed(moved) if _change(row) > SEEN][:MOST]
    return section(
        "cases",
        "Worst and best cases",
        _list("Lowest F1_AP", ranked[: most or 1], "No row has an F1_AP."),
        _list("Highest F1_AP", ranked[::-1][:most], ""),
        _list("Attribution fell most", falls, "In no row it fell."),
        _list("Attribution rose most", rises, "In no row it rose."),
        _unjudged(rows),
    )


def _change(row: ScoredRow) -> float:
    """By how much the attribution rose; 0, and so in no list, where it was not judged both times."""
    before, after = row.scores.attribution_before, row.scores.attribution_after
    return 0.0 if before is None or after is None else after - before


def _f1_ap(row: ScoredRow) -> float:
    return row.scores.f1_ap or 0.0


def _list(heading: str, rows: Sequence[ScoredRow], otherwise: str) -> str:
    if not rows:
        return f"<h3>{heading}</h3>{paragraph(otherwise)}" if otherwise else ""
    drawn = (folded(_summary(row), _case(row), unfolded=n == 0) for n, row in enumerate(rows))
    return "\n".join([f"<h3>{heading}</h3>", *drawn])


def _unjudged(rows: Iterable[ScoredRow]) -> str:
    names = [isolated(row.id) for row in rows if row.scores.f1_ap is None and not row.error]
    if not names:
        return ""
    return folded(
        f"Without an F1_AP, and in none of these lists: {counted(len(names), 'row')}", first(names, 50)
    )


def _summary(row: ScoredRow) -> str:
    scores = row.scores
    moved = f"{number(scores.attribution_before)} → {number(scores.attribution_after)}"
    facts = f"F1_AP {number(scores.f1_ap)} · attribution {moved} · preservation {number(scores.preservation)}"
    return f'<b>{isolated(row.id)}</b> <span class="facts">{facts}</span>'


def _case(row: ScoredRow) -> str:
    made = "Revision" if row.text != row.original else "Revision: left as it was"
    parts = [_text(made, row.original, row.text)]
    if row.reference is not None:
        same = "" if row.reference != row.original else ": left as it was"
        parts.append(_text(f"Human revision{same}", row.original, row.reference))
    context = f'<p class="facts">Context: <bdi>{_cut(row.context, CHANGED)}</bdi></p>' if row.context else ""
    return f'{context}<div class="pair">{"".join(parts)}</div><p class="facts">{_facts(row)}</p>'


def _text(heading: str, before: str, after: str) -> str:
    drawn = "".join(_drawn(word_diff(before, after)))
    return f'<div><h4>{heading}</h4><div class="text" dir="auto">{drawn}</div></div>'


def _drawn(pieces: Iterable[Segment]) -> Iterator[str]:
    tags, left = {"kept": "{}", "deleted": "<del>{}</del>", "inserted": "<ins>{}</ins>"}, LONGEST
    for piece in pieces:
        if left <= 0:
            yield _left_out("the rest is in report.json")
            return
        text = _cut(piece.text, KEPT if piece.kind == "kept" else CHANGED)
        yield tags[piece.kind].format(text)
        left -= min(len(piece.text), CHANGED)


def _cut(text: str, most: int) -> str:
    """A long run without its middle, of which the length is told; escaped."""
    if len(text) <= most + 100:
        return shown(text)
    half = most // 2
    return f"{shown(text[:half])}{_left_out(f'{len(text) - 2 * half:,} characters')}{shown(text[-half:])}"


def _left_out(what: str) -> str:
    return f'<span class="cut"> … {what} … </span>'


def _facts(row: ScoredRow) -> str:
    statuses = Counter(status.replace("_", " ") for status in row.statuses)
    facts = [
        f"edit kinds: {', '.join(row.kinds) or 'none'}",
        counted(row.edits, "edit"),
        f"{row.refused_edits:,} refused",
        f"sentences: {', '.join(f'{n} {status}' for status, n in statuses.items()) or 'none'}",
    ]
    return " · ".join(facts)
