"""Short ways to make the rows and reports that tests of the page need."""

from collections.abc import Sequence
from typing import Any

from rarr.evals.measures import EvalReport, ScoredRow
from rarr.evals.metrics.statistics import Measured, mean, share
from rarr.evals.metrics.texts import EDIT_KINDS, EditKind, is_kind
from rarr.evals.rows import Unreadable
from rarr.records import Scores

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' javascript:alert(4) "
    "</style><style>*{display:none}</style><svg onload=alert(5)> ]]> &lt; "
    "\u202eoverridden\u2066 \x00\x1b[2J \ud800"
)


def row(name: str = "r1", before: float | None = 0.4, after: float | None = 0.8, **fields: Any) -> ScoredRow:
    """A row whose revision keeps 0.9; with `after` None nothing of it was judged."""
    judged = before is not None and after is not None
    f1_ap = 2 * after * 0.9 / (after + 0.9) if after is not None else None
    known: dict[str, Any] = {
        "id": name,
        "original": "It opened in 1936.",
        "text": "It opened in 1937.",
        "scores": Scores(
            attribution_before=before,
            attribution_after=after,
            preservation=0.9 if judged else None,
            f1_ap=f1_ap,
        ),
        "statuses": ("supported",) if judged else ("unjudged",),
    }
    return ScoredRow(**(known | fields))


def report(*rows: ScoredRow, **fields: Any) -> EvalReport:
    measures = {"f1_ap": mean([row.scores.f1_ap for row in rows])} if rows else {}
    measures |= {kind: _kinds(kind, rows) for kind in EDIT_KINDS if rows}
    return EvalReport(**({"data": "data.jsonl", "measures": measures, "rows": rows} | fields))


def _kinds(kind: EditKind, rows: Sequence[ScoredRow]) -> Measured:
    hits = []
    for row in rows:
        scores = row.scores
        hits.append(is_kind(kind, scores.attribution_before, scores.attribution_after, scores.preservation))
    return share(hits)


def hostile() -> EvalReport:
    """Every text that a person or a model may have written is an attack."""
    bad: dict[str, Any] = {
        "id": HOSTILE,
        "context": HOSTILE,
        "original": HOSTILE,
        "text": f"{HOSTILE} 1",
        "reference": HOSTILE,
    }
    return report(
        row(**bad),
        row(**(bad | {"id": "failed", "text": HOSTILE, "scores": Scores(), "error": HOSTILE})),
        row("unjudged", None, None),
        data=HOSTILE,
        settings={HOSTILE: HOSTILE},
        measures={HOSTILE: mean([0.5, 0.7, None])},
        unreadable=(Unreadable(line=7, reason=HOSTILE),),
    )


def usual(rows: int = 12) -> EvalReport:
    """A report with a bit of everything."""
    good = [
        row(f"row-{n}", n / 20, n / 12, reference="It opened in 1937.", kinds=("good",)) for n in range(rows)
    ]
    worse = row("worse", 0.95, 0.5, kinds=("bad", "unnecessary"), statuses=("contradicted", "no_evidence"))
    return report(*good, worse, row("unjudged", None, None, statuses=("retrieval_failed", "unjudged")))
