"""Data to rate, and exports of raters, as files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarr.evals.rating import FORMAT, digest_of, read_items

CLAIM = {"claim": "It opened in 1937.", "evidence": "The bridge opened in 1937."}
PAIR = {"original": "It opened in 1936.", "revised": "It opened in 1937."}
YES, NOT_ALL, NO = (
    {"understandable": "yes", "attribution": value}
    for value in ("attributable", "extrapolatory", "contradictory")
)
UNCLEAR = {"understandable": "no"}


def data(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


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
