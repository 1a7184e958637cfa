"""The report of an evaluation: its rows, the measures of all rows, limits, and a page of HTML, from `page/`.

The page has no script and loads nothing. The same report gives the same page.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import get_args

from pydantic import Field
from rapidfuzz.distance import Indel

from rarr.errors import InputError
from rarr.evals.metrics import (
    EDIT_KINDS,
    NOISE,
    EditKind,
    Measured,
    bootstrap_each,
    edit_kinds,
    f1_ap_of_set,
    mean,
    restored,
    rouge_l,
    share,
)
from rarr.records import Record, Scores, Status
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.edit_segments import Piece, merged

STATUSES: tuple[Status, ...] = get_args(Status)


class ScoredRow(Record):
    """One text of an evaluation. `reference` is a person's revision, if the data have one.

    `kinds` are the kinds of edit of the whole revision (PURR). `seconds` is wall time. With an `error`
    nothing was revised, or nothing of the text could be checked: `text` is the original, without scores.
    """

    id: str
    context: str | None = None
    original: str
    text: str
    reference: str | None = None
    scores: Scores = Scores()
    kinds: tuple[EditKind, ...] = ()
    statuses: tuple[Status, ...] = ()
    edits: int = 0
    refused_edits: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    error: str = ""


class EvalReport(Record):
    """The report of an evaluation: `measures` by name, such as `f1_ap`, all rows, and the settings in use."""

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    measures: dict[str, Measured] = Field(default_factory=dict)
    rows: tuple[ScoredRow, ...] = ()


NAMES = (
    "attribution_before", "attribution_after", "preservation", "f1_ap", "changed", *EDIT_KINDS, "restored",
    "untouched_when_correct", "rouge_l", *STATUSES,
)  # fmt: skip
"""All measures of an evaluation. `restored`, `untouched_when_correct` and `rouge_l` need a person's text."""


def measured(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes every measure that applies to some row, by name, with its 95% interval over rows.

    A row with an error is not judged. F1_AP is that of the averages. The shares of statuses count sentences;
    `n` counts rows. `restored` is over texts that a person changed, `untouched_when_correct` over the others.
    """
    if not rows:
        return {}
    scores = [(it.scores.attribution_after, it.scores.preservation) for it in rows]
    kinds = [edit_kinds(it.scores) for it in rows]
    wrong, right, overlaps = list[bool | None](), list[bool | None](), list[float | None]()
    for row in rows:
        if (reference := row.reference) is not None:
            overlaps.append(None if row.error else rouge_l(row.text, reference))
            if restored(row.original, reference):
                right.append(None if row.error else row.text == row.original)
            else:
                wrong.append(None if row.error else restored(row.text, reference))
    return {
        "attribution_before": mean([row.scores.attribution_before for row in rows]),
        "attribution_after": mean([after for after, _ in scores]),
        "preservation": mean([preserved for _, preserved in scores]),
        "f1_ap": f1_ap_of_set(scores),
        "changed": share([None if row.error else row.text != row.original for row in rows]),
        **{kind: share([each[kind] for each in kinds]) for kind in EDIT_KINDS},
        **({"restored": share(wrong)} if wrong else {}),
        **({"untouched_when_correct": share(right)} if right else {}),
        **({"rouge_l": mean(overlaps)} if overlaps else {}),
        **_statuses(rows),
    }


def _statuses(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    counts = [Counter[str](row.statuses) for row in rows if row.statuses]

    def shares(drawn: Sequence[Counter[str]]) -> dict[str, float | None]:
        total = sum(count.total() for count in drawn)
        return {name: sum(count[name] for count in drawn) / total for name in STATUSES}

    unjudged = sum(bool(row.error) for row in rows)
    none = dict.fromkeys(STATUSES, Measured(unjudged=unjudged))
    return none | bootstrap_each(counts, shares, unjudged=unjudged)


def limits_of(given: Sequence[str], names: Sequence[str] = NAMES) -> dict[str, float]:
    """Parses limits given as `measure=number`, from 0 to 1, for the measures `names`.

    Raises `InputError` for an unknown measure, and for a wrong number.
    """
    limits = dict[str, float]()
    for argument in given:
        name, _, number = (part.strip() for part in argument.partition("="))
        if name not in names:
            raise InputError(f"unknown measure {name!r} in {argument!r}: the measures are {', '.join(names)}")
        try:
            limits[name] = float(number)
        except ValueError:
            limits[name] = -1
        if not 0 <= limits[name] <= 1:
            raise InputError(f"{argument!r} has no limit from 0 to 1: give one, such as f1_ap=0.6")
    return limits


def below(name: str, value: float | None, limit: float) -> str:
    """Writes a phrase for a measure that is under its limit, or was not judged; "" for another."""
    if value is None:
        return f"{name} is not judged, under its limit {limit:g}"
    return f"{name} is {value:.6g}, under its limit {limit:g}" if value < limit - NOISE else ""


def under(report: EvalReport, limits: Mapping[str, float]) -> list[str]:
    """Writes a phrase for each measure that is under its limit, or may be; [] if all limits hold.

    A measure may be under its limit if no row was judged, or if rows have an error and some rows were not
    judged.
    """
    errors = sum(bool(row.error) for row in report.rows)
    phrases = []
    for name, limit in limits.items():
        found = report.measures.get(name, Measured())
        why = f"may be under its limit {limit:g}: it is not judged for rows with an error ({errors})"
        phrases.append(below(name, found.value, limit) or f"{name} {why}" * bool(errors and found.unjudged))
    return [*filter(None, phrases)]


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
# character is a word; otherwise one changed character would change a whole clause. White space ends a word.
_TOKEN = re.compile(r"(?:\d+(?:[.,:]\d+)+|[぀-ヿ㐀-䶿一-鿿]|[^\W぀-ヿ㐀-䶿一-鿿]+|[^\w\s])\s*|\s+")


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
        cases=SimpleNamespace(ranked=_ranked(report.rows), runs=_runs, cut=_cut),
        restored=restored,
    )


def _ranked(rows: Sequence[ScoredRow]) -> dict[str, list[ScoredRow]]:
    judged = sorted((it for it in rows if it.scores.f1_ap is not None), key=lambda it: it.scores.f1_ap or 0)
    most = min(MOST, len(judged) // 2)
    return {"Lowest F1_AP": judged[: most or 1], "Highest F1_AP": judged[::-1][:most]}


def _runs(before: str, after: str) -> Iterator[tuple[str, list[str]]]:
    """Yields the kept, deleted and inserted segments between two texts, each shortened by `_cut`."""
    for kind, text, _ in word_diff(before[:LONGEST], after[:LONGEST]):
        yield kind, _cut(text, KEPT if kind == "kept" else CHANGED)
    if max(len(before), len(after)) > LONGEST:
        yield "kept", ["", "the rest is in report.json", ""]


def word_diff(before: str, after: str) -> list[Piece]:
    """Compares two texts by words. Kept and deleted segments are `before`, kept and inserted ones `after`."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    pieces = list[Piece]()
    for op in Indel.opcodes(old, new):
        gone, come = "".join(old[op.src_start : op.src_end]), "".join(new[op.dest_start : op.dest_end])
        same = op.tag == "equal"
        pieces += [Piece("kept", gone)] if same else [Piece("deleted", gone), Piece("inserted", come)]
    return list(merged(pieces))


def _cut(text: str, most: int = CHANGED) -> list[str]:
    """Returns [text] or, if it is long, its beginning, "N characters" for its middle, and its end."""
    if len(text) <= most + 100:
        return [text]
    half = most // 2
    return [text[:half], f"{len(text) - 2 * half:,} characters", text[-half:]]
