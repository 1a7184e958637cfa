"""Rows about a mill, reports, what raters export, and a run: python -m evals.doubles DATA OUT SECONDS JOBS"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rarr.evals.evaluation import EvalReport, ScoredRow, evaluate, measured
from rarr.evals.metrics import mean
from rarr.evals.rating import FORMAT, digest_of, read_items
from rarr.ledger.scores import f1_ap
from rarr.records import Passage, Scores
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever

EVIDENCE = "The mill opened in 1937."


class Source(InMemoryRetriever):
    """Takes its time, more of it for every third call, so that rows end in another order; then fails."""

    def __init__(self, seconds: float = 0.0, answers: int = 10_000) -> None:
        super().__init__([EVIDENCE])
        self.seconds, self.answers = seconds, answers

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if len(self.calls) >= self.answers:
            raise OSError("the server went away")
        await asyncio.sleep(self.seconds * (1 + 2 * (len(self.calls) % 3 == 0)))
        return await super().retrieve(query, k)


def evaluated(data: Path, out: Path, source: Source | None = None, **more: Any) -> EvalReport:
    """A run of the embedded reader; `more` are settings, else arguments of `evaluate`."""
    known = Settings.model_fields.keys() - {"queries"}
    values = {name: more.pop(name) for name in list(more) if name in known}
    return evaluate(data, out, settings=Settings(search=source or Source(), trace=False, **values), **more)


def row(number: int, **more: Any) -> dict[str, Any]:
    """A row with a text of its own, wrong in the rows with an even number."""
    year = 1937 if number % 2 else 1973
    return {"id": f"r{number}", "text": f"The mill opened in {year}.", "revised": EVIDENCE} | more


def write_rows(path: Path, *rows: Any) -> Path:
    """A file with these rows, each a line; a string is a line as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def lines(out: Path) -> list[dict[str, Any]]:
    """What `predictions.jsonl` holds."""
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def timeless(report: EvalReport) -> EvalReport:
    """`report` without what no two runs share."""
    rows = tuple(row.model_copy(update={"seconds": 0.0}) for row in report.rows)
    return report.model_copy(update={"rows": rows})


HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"onmouseover='alert(3)' javascript:alert(4) "
    "</style><style>*{display:none}</style><svg onload=alert(5)> ]]> &lt; "
    "\u202eoverridden\u2066 \x00\x1b[2J \ud800"
)
CLAIM = {"claim": "It opened in 1937.", "evidence": "The bridge opened in 1937."}
PAIR = {"original": "It opened in 1936.", "revised": "It opened in 1937."}
CLASSES = ("attributable", "extrapolatory", "contradictory")
YES, NOT_ALL, NO = ({"understandable": "yes", "attribution": value} for value in CLASSES)


def scored(
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
        ScoredRow(**texts, text=f"{HOSTILE} 1", scores=scored().scores),
        ScoredRow(**(texts | {"id": "failed"}), text=HOSTILE, error=HOSTILE),
        scored("unjudged", None, None),
        data=HOSTILE,
        settings={HOSTILE: HOSTILE},
        measures={HOSTILE: mean([0.5, 0.7, None])},
    )


def usual() -> EvalReport:
    """A report with a bit of everything."""
    good = [
        scored(f"r{n}", n / 20, n / 12, reference="It opened in 1937.", kinds=("good",)) for n in range(12)
    ]
    worse = scored("worse", 0.95, 0.5, kinds=("bad", "unnecessary"), statuses=("contradicted", "no_evidence"))
    return report(*good, worse, scored("unjudged", None, None, statuses=("retrieval_failed", "unjudged")))


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


if __name__ == "__main__":
    data, out, seconds, jobs = sys.argv[1:]
    evaluated(Path(data), Path(out), Source(float(seconds)), jobs=int(jobs))
