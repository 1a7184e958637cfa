"""A run whose rows take time, to be ended in between: python -m evals.doubles DATA OUT SECONDS JOBS"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from component_doubles import ScriptedChecker, ScriptedQueries, scripted_components

from rarr.components import Components
from rarr.evals import evaluate
from rarr.evals.measures import EvalReport
from rarr.records import Agreement, Passage
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever

ASKED = "When did the mill open?"
EVIDENCE = "The mill opened in 1937."


class SlowRetriever(InMemoryRetriever):
    """Takes its time, more of it for every third call, so that rows end in another order."""

    def __init__(self, passages: Sequence[Passage | str], seconds: float) -> None:
        super().__init__(passages)
        self.seconds = seconds

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        await asyncio.sleep(self.seconds * (1 + 2 * (len(self.calls) % 3 == 0)))
        return await super().retrieve(query, k)


def components(seconds: float = 0.0, settings: Settings | None = None) -> Components:
    """Corrects "1973" to "1937" in texts about a mill."""
    wrong = Agreement(verdict="disagrees", text_answer="1973", evidence_answer="1937")
    return scripted_components(
        settings=settings,
        query_generator=ScriptedQueries([(ASKED, "1973")]),
        retriever=SlowRetriever([EVIDENCE], seconds),
        checker=ScriptedChecker({(ASKED, "1937"): wrong}),
    )


def row(number: int, **more: Any) -> dict[str, Any]:
    """A row with a text of its own, wrong in the rows with an even number."""
    year = 1937 if number % 2 else 1973
    right = f"Note {number}. The mill opened in 1937."
    return {"id": f"r{number}", "text": f"Note {number}. The mill opened in {year}.", "revised": right} | more


def write_rows(path: Path, *rows: Any) -> Path:
    """A file with these rows, each a line; a string is a line as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
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
    evaluate(data, out, components=components(float(seconds)), jobs=int(jobs))
