"""Rows about a mill, and a run over them, also to be ended: python -m evals.doubles DATA OUT SECONDS JOBS"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rarr.evals import evaluate
from rarr.evals.evaluation import EvalReport
from rarr.records import Passage
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


if __name__ == "__main__":
    data, out, seconds, jobs = sys.argv[1:]
    evaluated(Path(data), Path(out), Source(float(seconds)), jobs=int(jobs))
