"""Declares the values of each preset, a named set of settings."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # The constants of RARR (Gao et al. 2023, sections 3.2 to 3.4).
    "paper": {
        "documents_per_query": 5,
        "evidence_per_query": 1,
        "window": 4,
        "report_size": 5,
        "rounds": 1,
    },
    "fast": {
        "documents_per_query": 2,
        "evidence_per_query": 1,
        "rounds": 1,
    },
}
