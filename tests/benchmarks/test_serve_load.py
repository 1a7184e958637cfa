"""How the load of the server judges what comes back."""

from typing import Any

from benchmarks.serve_load import RIGHT, WRONG, _judged, text

CHECKED, ORIGINAL = [{"outcome": "finished"}], [{"outcome": "finished"}, {"outcome": "deadline"}]


def test_answer_is_judged_by_its_question_and_mode() -> None:
    judged: list[tuple[str, str, list[dict[str, Any]], str]] = [
        ("off", text("q", WRONG), [], "passed"),
        ("off", text("q", RIGHT), [], "WRONG"),
        ("revise", text("q", RIGHT), CHECKED, "checked"),
        ("revise", text("q", WRONG), CHECKED, "WRONG"),
        ("revise", text("q", WRONG), ORIGINAL, "original"),
        ("revise", text("q", RIGHT), [], "WRONG"),
        ("revise", text("other", RIGHT), CHECKED, "WRONG"),
        ("check", text("q", WRONG), CHECKED, "checked"),
        ("check", text("q", RIGHT), CHECKED, "WRONG"),
    ]
    for mode, content, results, outcome in judged:
        assert _judged("q", mode, content, results) == outcome
