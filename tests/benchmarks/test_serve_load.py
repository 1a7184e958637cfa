"""How the load of the server judges what comes back."""

from typing import Any

import pytest

from benchmarks.serve_load import RIGHT, WRONG, _judged, text

CHECKED, ORIGINAL = [{"outcome": "finished"}], [{"outcome": "finished"}, {"outcome": "deadline"}]


@pytest.mark.parametrize(
    ("mode", "content", "results", "outcome"),
    [
        ("off", text("q", WRONG), [], "passed"),
        ("off", text("q", RIGHT), [], "WRONG"),
        ("revise", text("q", RIGHT), CHECKED, "checked"),
        ("revise", text("q", WRONG), CHECKED, "WRONG"),
        ("revise", text("q", WRONG), ORIGINAL, "original"),
        ("revise", text("q", RIGHT), [], "WRONG"),
        ("revise", text("other", RIGHT), CHECKED, "WRONG"),
        ("check", text("q", WRONG), CHECKED, "checked"),
        ("check", text("q", RIGHT), CHECKED, "WRONG"),
    ],
)
def test_answer_is_judged_by_its_question_and_mode(
    mode: str, content: str, results: list[dict[str, Any]], outcome: str
) -> None:
    assert _judged("q", mode, content, results) == outcome
