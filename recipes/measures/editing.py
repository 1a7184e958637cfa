"""People's corrections: SARI of the revised text and of the unchanged text, and texts left untouched."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.quality import SETS, nothing, rows_of
from benchmarks.report import cell, table
from benchmarks.shared_data import rows
from rarr import Settings
from rarr.evals import evaluate, metrics
from rarr.evals.metrics import Measured, sari
from recipes.measures.context import Context, Figure, Results
from recipes.measures.intervals import mean, over_groups

NAMES = ("fib_fir", "factcheckgpt_claim")
BATCH = 20


class Edited(NamedTuple):
    """A text, its revisions by the system (`text`) and by a person (`reference`), and its document."""

    original: str
    text: str
    reference: str
    group: str


def measure(context: Context) -> Results:
    """Revises the rows that are not kept yet; figures for each set and system."""
    figures, body = [], []
    kept = context.kept("editing")
    for name in NAMES:
        items = rows(f"dev/{SETS[name][0]}")
        groups = {row["id"]: row["group"] for row in items}
        # Of a text that people deleted as a whole, `rarr eval` takes no empty revision.
        set_rows = [row for row in rows_of(items) if row["revised"].strip()][: context.limit]
        for system, settings in context.systems.items():
            todo = [row for row in set_rows if (system, name, row["id"]) not in kept]
            for at in range(0, len(todo), BATCH):
                for key, text in _revised(todo[at : at + BATCH], settings).items():
                    kept.add((system, name, key), text)
            edited = [
                Edited(row["text"], kept[system, name, row["id"]], row["revised"], groups[row["id"]])
                for row in set_rows
            ]
            set_figures = figures_of(name, system, edited)
            figures += set_figures
            values = [cell(figure.value) for figure in set_figures]
            body.append([name, system, str(len(edited)), *values, _alone(edited)])
    head = ["set", "system", "n", "SARI", "SARI gain", "untouched when right", "SARI of leaving alone"]
    return Results(figures, {"editing": table(head, body)})


def figures_of(name: str, system: str, edited: Sequence[Edited]) -> list[Figure]:
    """SARI, its gain over leaving every text alone, and the share of right texts that stay as they are."""
    groups = [revised.group for revised in edited]
    after = [sari(revised.original, revised.text, [revised.reference]) for revised in edited]
    gain = [a - b for a, b in zip(after, map(_untouched_sari, edited), strict=True)]
    right = [revised.text == revised.original for revised in edited if revised.original == revised.reference]
    return [
        Figure(f"SARI, {name}", system, over_groups(after, groups, mean)),
        Figure(f"SARI gain, {name}", system, over_groups(gain, groups, mean)),
        Figure(f"untouched when right, {name}", system, metrics.share(right)),
    ]


def _untouched_sari(revised: Edited) -> float:
    return sari(revised.original, revised.original, [revised.reference])


def _alone(edited: Sequence[Edited]) -> str:
    return cell(Measured(value=mean([_untouched_sari(revised) for revised in edited])))


def _revised(batch: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> dict[str, str]:
    """The revised text of each row by id. A text without anything to check stays unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "rows.jsonl")
        data.write_text("".join(json.dumps(row) + "\n" for row in batch), encoding="utf-8")
        system_settings = Settings(search="corpus", corpus=nothing(folder), home=Path(folder), **settings)
        report = evaluate(data, Path(folder, "out"), settings=system_settings, jobs=1)
        return {row.id: row.text for row in report.rows}
