"""Code edits values, and asks about them; the model does what code cannot."""

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, language_model, query_about
from rarr.backends.prompted.code_first import CodeFirstEditor, UnitedQuestions
from rarr.backends.prompted.editing import PromptedEditor
from rarr.backends.prompted.questions import PromptedQuestions
from rarr.backends.rules.editing import ValueEditor
from rarr.backends.rules.questions import ValueQuestions
from rarr.records import Check
from rarr.testing import ScriptedModel

TEXT = "The Orrel Mill burned in 1921. It had 9 sails."


def editor(chat: ScriptedModel) -> CodeFirstEditor:
    return CodeFirstEditor(ValueEditor(), PromptedEditor(language_model(chat), PROMPTS, whole_text=False))


def disagreeing(mine: str, its: str) -> Check:
    return Check(verdict="disagrees", text_answer=mine, evidence_answer=its, query_id="q1", evidence_id="e1")


def united(*questions: tuple[str, str]) -> UnitedQuestions:
    chat = answering({"questions": [{"question": asks, "about": about} for asks, about in questions]})
    prompted = PromptedQuestions(language_model(chat), PROMPTS, samples=1, temperature=0.7)
    return UnitedQuestions(prompted, ValueQuestions())


async def asked(*questions: tuple[str, str]) -> list[str]:
    """The words that the questions are about."""
    return [TEXT[one.start : one.end] for one in await united(*questions).generate(TEXT, None)]


async def test_a_value_is_replaced_without_a_model() -> None:
    chat = answering({"span": "", "revision": ""})
    change = await editor(chat).edit(
        TEXT, None, query_about(TEXT, "1921"), disagreeing("1921", "May 1923"), evidence("May 1923.")
    )
    assert change is not None and change.new == "1923"
    assert chat.calls == []


async def test_the_model_is_asked_where_words_must_change() -> None:
    chat = answering({"span": "burned", "revision": "was flooded"})
    change = await editor(chat).edit(
        TEXT, None, query_about(TEXT, "burned"), disagreeing("burned", "was flooded"), evidence("Flooded.")
    )
    assert change is not None and change.new == "was flooded"
    assert [call.name for call in chat.calls] == ["edit"]


async def test_values_that_the_model_left_out_are_asked_about() -> None:
    assert await asked(("When did the Orrel Mill burn?", "1921")) == ["1921", "9"]


@pytest.mark.parametrize(
    "question",
    [
        ("What is the Orrel Mill?", "The Orrel Mill burned in 1921."),  # a whole sentence
        ("Did the Orrel Mill burn in 1921?", "1921"),  # says its answer
    ],
)
async def test_a_question_that_nothing_answers_is_dropped(question: tuple[str, str]) -> None:
    found = await united(question).generate(TEXT, None)
    assert question[0] not in [one.text for one in found]
    assert "1921" in [TEXT[one.start : one.end] for one in found]


async def test_differing_questions_about_one_value_are_kept() -> None:
    found = await united(
        ("How many sails had the Orrel Mill?", "9 sails"), ("What had the mill nine of?", "9")
    ).generate(TEXT, None)
    assert sum(TEXT[one.start : one.end].startswith("9") for one in found) == 2
