"""How the load of the server judges what comes back."""

from typing import Any

from benchmarks.serve_load import RIGHT, WRONG, _judge_answer, answer_text

CHECKED, ORIGINAL = [{"outcome": "finished"}], [{"outcome": "finished"}, {"outcome": "deadline"}]


def test_answer_is_judged_by_its_question_and_mode() -> None:
    judged: list[tuple[str, str, list[dict[str, Any]], str]] = [
        ("off", answer_text("q", WRONG), [], "passed"),
        ("off", answer_text("q", RIGHT), [], "WRONG"),
        ("revise", answer_text("q", RIGHT), CHECKED, "checked"),
        ("revise", answer_text("q", WRONG), CHECKED, "WRONG"),
        ("revise", answer_text("q", WRONG), ORIGINAL, "original"),
        ("revise", answer_text("q", RIGHT), [], "WRONG"),
        ("revise", answer_text("other", RIGHT), CHECKED, "WRONG"),
        ("check", answer_text("q", WRONG), CHECKED, "checked"),
        ("check", answer_text("q", RIGHT), CHECKED, "WRONG"),
    ]
    for mode, content, results, outcome in judged:
        assert _judge_answer("q", mode, content, results) == outcome
