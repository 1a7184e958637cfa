"""Makes rows, reports and exports of raters. Run it as: python -m evals.doubles DATA OUT SECONDS JOBS"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rarr.evals.evaluation import EvalReport, ScoredRow, evaluate, measures_of_rows
from rarr.evals.metrics import mean
from rarr.evals.rating import FORMAT, items_digest, read_items
from rarr.ledger.scores import f1_ap
from rarr.records import Passage, Scores
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever

EVIDENCE = "The mill opened in 1937."
Share = float | None


class Source(InMemoryRetriever):
    """A retriever that is slow at every third call, so that rows end out of order. Fails after `answers`."""

    def __init__(self, seconds: float = 0.0, answers: int = 10_000) -> None:
        super().__init__([EVIDENCE])
        self.seconds, self.answers = seconds, answers

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if len(self.calls) >= self.answers:
            raise OSError("the server went away")
        await asyncio.sleep(self.seconds * (1 + 2 * (len(self.calls) % 3 == 0)))
        return await super().retrieve(query, k)


def run_eval(data: Path, out: Path, source: Source | None = None, **more: Any) -> EvalReport:
    """Evaluates with the embedded reader. `more` are settings and arguments of `evaluate`."""
    known = Settings.model_fields.keys() - {"queries"}
    values = {name: more.pop(name) for name in list(more) if name in known}
    return evaluate(data, out, settings=Settings(search=source or Source(), trace=False, **values), **more)


def row(number: int, **more: Any) -> dict[str, Any]:
    """Makes a row with its own text, which is wrong if the number is even."""
    year = 1937 if number % 2 else 1973
    return {"id": f"r{number}", "text": f"The mill opened in {year}.", "revised": EVIDENCE} | more


def write_rows(path: Path, *rows: Any) -> Path:
    """Writes a file with a line for each row. A string is written unchanged."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def lines(out: Path) -> list[dict[str, Any]]:
    """Reads the lines of `predictions.jsonl`."""
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def without_seconds(report: EvalReport) -> EvalReport:
    """Returns the report without seconds, which differ between runs."""
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


def score_row(
    name: str = "r1", before: Share = 0.4, after: Share = 0.8, preservation: Share = 0.9, **more: Any
) -> ScoredRow:
    """Makes a row with a changed year. If `after` is None, the row was not judged."""
    score = f1_ap(after, preservation) if after is not None else None
    attribution = {"attribution_before": before, "attribution_after": after}
    scores = Scores(**attribution, preservation=preservation, f1_ap=score)
    texts = {"original": "It opened in 1936.", "text": "It opened in 1937."}
    status = "unjudged" if after is None else "supported"
    return ScoredRow(**({"id": name, **texts, "scores": scores, "statuses": (status,)} | more))


def report(*rows: ScoredRow, **fields: Any) -> EvalReport:
    return EvalReport(**({"data": "data.jsonl", "measures": measures_of_rows(rows), "rows": rows} | fields))


def hostile_report() -> EvalReport:
    """Makes a report in which each text is an attack."""
    texts = dict.fromkeys(("id", "context", "original", "reference"), HOSTILE)
    return report(
        ScoredRow(**texts, text=f"{HOSTILE} 1", scores=score_row().scores),
        ScoredRow(**(texts | {"id": "failed"}), text=HOSTILE, error=HOSTILE),
        score_row("unjudged", None, None),
        data=HOSTILE,
        settings={HOSTILE: HOSTILE},
        measures={HOSTILE: mean([0.5, 0.7, None])},
    )


def usual_report() -> EvalReport:
    right: dict[str, Any] = {"reference": PAIR["revised"], "kinds": ("good",)}
    good = [score_row(f"r{n}", n / 20, n / 12, **right) for n in range(12)]
    bad = score_row("bad", 0.95, 0.5, kinds=("bad", "unnecessary"), statuses=("contradicted", "no_evidence"))
    return report(*good, bad, score_row("unjudged", None, None, statuses=("retrieval_failed", "unjudged")))


def export(rows: Path, rater: str, /, *answers: Mapping[str, str], **changes: Any) -> Path:
    """Writes the export of a rater with these answers, in the order of the items."""
    items = read_items(rows)
    value = {
        "format": FORMAT,
        "rater": rater,
        "digest": items_digest(items),
        "items": [item.model_dump(mode="json") for item in items],
        "answers": {item.id: given for item, given in zip(items, answers, strict=False)},
    }
    path = rows.with_name(f"ratings-{rater}.json")
    path.write_text(json.dumps(value | changes), encoding="utf-8")
    return path


if __name__ == "__main__":
    data, out, seconds, jobs = sys.argv[1:]
    run_eval(Path(data), Path(out), Source(float(seconds)), jobs=int(jobs))
