"""Rows and reports of evaluations, and what raters export."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarr.evals.evaluation import EvalReport, ScoredRow, measured
from rarr.evals.metrics import mean
from rarr.evals.rating import FORMAT, digest_of, read_items
from rarr.ledger.scores import f1_ap
from rarr.records import Scores

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' javascript:alert(4) "
    "</style><style>*{display:none}</style><svg onload=alert(5)> ]]> &lt; "
    "\u202eoverridden\u2066 \x00\x1b[2J \ud800"
)
CLAIM = {"claim": "It opened in 1937.", "evidence": "The bridge opened in 1937."}
PAIR = {"original": "It opened in 1936.", "revised": "It opened in 1937."}
CLASSES = ("attributable", "extrapolatory", "contradictory")
YES, NOT_ALL, NO = ({"understandable": "yes", "attribution": value} for value in CLASSES)


def row(
    name: str = "r1",
    before: float | None = 0.4,
    after: float | None = 0.8,
    preservation: float | None = 0.9,
    **more: Any,
) -> ScoredRow:
    """A row that changed a year; with `after` None nothing of it was judged."""
    score = f1_ap(after, preservation) if after is not None else None
    attribution = {"attribution_before": before, "attribution_after": after}
    scores = Scores(**attribution, preservation=preservation, f1_ap=score)
    texts = {"original": "It opened in 1936.", "text": "It opened in 1937."}
    status = "unjudged" if after is None else "supported"
    return ScoredRow(**({"id": name, **texts, "scores": scores, "statuses": (status,)} | more))


def report(*rows: ScoredRow, **fields: Any) -> EvalReport:
    return EvalReport(**({"data": "data.jsonl", "measures": measured(rows), "rows": rows} | fields))


def hostile() -> EvalReport:
    """Every text that a person or a model may have written is an attack."""
    texts = dict.fromkeys(("id", "context", "original", "reference"), HOSTILE)
    return report(
        ScoredRow(**texts, text=f"{HOSTILE} 1", scores=row().scores),
        ScoredRow(**(texts | {"id": "failed"}), text=HOSTILE, error=HOSTILE),
        row("unjudged", None, None),
        data=HOSTILE,
        settings={HOSTILE: HOSTILE},
        measures={HOSTILE: mean([0.5, 0.7, None])},
    )


def usual() -> EvalReport:
    """A report with a bit of everything."""
    good = [row(f"r{n}", n / 20, n / 12, reference="It opened in 1937.", kinds=("good",)) for n in range(12)]
    worse = row("worse", 0.95, 0.5, kinds=("bad", "unnecessary"), statuses=("contradicted", "no_evidence"))
    return report(*good, worse, row("unjudged", None, None, statuses=("retrieval_failed", "unjudged")))


def export(rows: Path, rater: str, /, *answers: Mapping[str, str], **changes: Any) -> Path:
    """Writes what a rater exports who gave the items these answers, one after the other."""
    items = read_items(rows)
    value = {
        "format": FORMAT,
        "rater": rater,
        "digest": digest_of(items),
        "items": [item.model_dump(mode="json") for item in items],
        "answers": {item.id: given for item, given in zip(items, answers, strict=False)},
    }
    path = rows.with_name(f"ratings-{rater}.json")
    path.write_text(json.dumps(value | changes), encoding="utf-8")
    return path
