"""`rarr.score` with a language model: five levels, rated examples and the passage, after the rules."""

import pytest

import rarr
from rarr.records.answer_score import RatedAnswer
from rarr.testing import ScriptedModel
from rarr.testing.scripted_answer_lookup import Asked

QUESTION = "What was the cabin like?"
ANSWER = "Nobody inside could hear a thing."


def scored(level: str, answer: str = ANSWER, **more: object) -> tuple[rarr.AnswerScore, list[Asked]]:
    """The score by a model that always gives `level`, and what it was asked."""
    asked = list[Asked]()

    def answers(request: Asked) -> dict[str, str]:
        asked.append(request)
        return {"reason": "Because.", "level": level}

    settings = rarr.Settings(model=ScriptedModel(answers))
    found = rarr.score(answer, ["soundproofed"], QUESTION, settings=settings, **more)  # type: ignore[arg-type]
    return found, asked


@pytest.mark.parametrize(
    ("level", "score"),
    [
        ("completely wrong", 0.0),
        ("mostly wrong", 0.25),
        ("half right", 0.5),
        ("mostly right", 0.75),
        ("perfect", 1.0),
    ],
)
def test_levels_are_quarters(level: str, score: float) -> None:
    found, _ = scored(level)
    assert (found.score, found.by_rules, found.reason) == (score, False, f"{level}: Because.")


def test_model_reads_passage_and_rated_examples() -> None:
    example = RatedAnswer(answer="It was loud.", references=("quiet",), question="How was it?", score=0.0)
    _, (asked,) = scored("perfect", passage="The cabin was lined with cork.", examples=[example])
    for words in ("lined with cork", "It was loud.", "Level: completely wrong", QUESTION, "soundproofed"):
        assert words in asked.user


def test_rules_decide_before_the_model() -> None:
    same, asked = scored("completely wrong", "Soundproofed")
    assert (same.score, same.by_rules, asked) == (1.0, True, [])
    settings = rarr.Settings(model=ScriptedModel(lambda request: {"reason": "", "level": "perfect"}))
    other = rarr.score("It took 19 days.", "18 days", settings=settings)
    assert (other.score, other.by_rules) == (0.0, True)


def test_failing_model_raises_and_gives_no_score() -> None:
    settings = rarr.Settings(model=ScriptedModel({"nothing": "fits"}))
    with pytest.raises(rarr.RarrError):
        rarr.score(ANSWER, "soundproofed", settings=settings)


def test_examples_need_a_language_model() -> None:
    example = RatedAnswer(answer="x", references=("y",), score=0.5)
    with pytest.raises(rarr.InputError, match="examples are shown to a language model"):
        rarr.score(ANSWER, "soundproofed", examples=[example])
