"""Code edits values, and asks about them; the model does what code cannot."""

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, language_model, query_about
from rarr.backends.prompted.editing import PromptedEditor
from rarr.backends.prompted.questions import PromptedQuestions
from rarr.backends.prompted.rules_then_model_components import CodeFirstEditor, CodeFirstQuestions
from rarr.backends.rules.editing import ValueEditor
from rarr.backends.rules.questions import RuleQuestions
from rarr.records import Check
from rarr.testing import ScriptedModel
from rarr.tools.text.blocks_and_sentences import sentences

TEXT = "The Orrel Mill burned in 1921. It had 9 sails."


def editor(chat: ScriptedModel) -> CodeFirstEditor:
    return CodeFirstEditor(ValueEditor(), PromptedEditor(language_model(chat), PROMPTS, whole_text=False))


def disagreeing(text_answer: str, evidence_answer: str) -> Check:
    return Check(
        verdict="disagrees",
        text_answer=text_answer,
        evidence_answer=evidence_answer,
        query_id="q1",
        evidence_id="e1",
    )


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


def questions(chat: ScriptedModel) -> CodeFirstQuestions:
    prompted = PromptedQuestions(language_model(chat), PROMPTS, samples=1, temperature=0.7)
    return CodeFirstQuestions(RuleQuestions(), prompted)


async def test_code_asks_about_each_value_and_sentence_of_an_english_text() -> None:
    chat = answering({"questions": []})
    asked = await questions(chat).generate(TEXT, None)
    assert {"1921", "9", "The Orrel Mill burned in 1921."} <= {TEXT[each.start : each.end] for each in asked}
    assert chat.calls == []


GERMAN = (
    "Die Mühle von Orrel brannte im Jahr 1921 bis auf die Grundmauern nieder und wurde nie wieder aufgebaut."
)


async def test_the_model_asks_about_a_text_in_another_language() -> None:
    chat = answering({"questions": [{"question": "Wann brannte die Mühle von Orrel?", "about": "1921"}]})
    asked = await questions(chat).generate(GERMAN, None)
    assert [question.text for question in asked] == ["Wann brannte die Mühle von Orrel?"]
    assert [call.name for call in chat.calls] == ["generate_queries"]


@pytest.mark.parametrize(("text", "asked"), [(TEXT, []), (GERMAN, ["target_queries"])])
async def test_later_questions_are_the_models_in_another_language_alone(text: str, asked: list[str]) -> None:
    chat = answering({"questions": []})
    await questions(chat).target(text, None, sentences(text), [])
    assert [call.name for call in chat.calls] == asked
