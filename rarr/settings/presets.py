"""Declares the values of each preset, a named set of settings."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # The constants of RARR (Gao et al. 2023, sections 3.2 to 3.4).
    "paper": {
        "documents_per_query": 5,
        "evidence_per_query": 1,
        "window": 4,
        "step": 1,
        "report_size": 5,
        "query_samples": 3,
        "query_temperature": 0.7,
        "merge_questions": False,
        "rounds": 1,
        "scope": "text",
        "max_edit_chars": 50,
        "max_edit_share": 0.5,
        "block_chars": None,
    },
    "fast": {
        "documents_per_query": 2,
        "evidence_per_query": 1,
        "query_samples": 1,
        "rounds": 1,
    },
}
