"""Tests how the questions of several samples get places in the text and are merged."""

import pytest

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model
from rarr.backends.prompted.questions import PromptedQuestions
from rarr.errors import ModelError
from rarr.records import Question
from rarr.testing import ScriptedModel

TEXT = "The old mill was built in 1919. It burned in 1921 and was  rebuilt\nin 1923. Its only owner fled."


def ask(question: str = "When?", about: str = "") -> dict[str, str]:
    return {"question": question, "about": about}


def generator(chat: ScriptedModel, samples: int = 1) -> PromptedQuestions:
    return PromptedQuestions(language_model(chat), PROMPTS, samples=samples)


async def asked(*samples: list[dict[str, str]], text: str = TEXT) -> list[Question]:
    chat = answering(*({"questions": questions} for questions in samples))
    return list(await generator(chat, len(samples)).generate(text, None))


BURNED, FLED = "It burned in 1921 and was  rebuilt\nin 1923.", "Its only owner fled."


@pytest.mark.parametrize(
    ("text", "about", "words"),
    [
        (TEXT, "1921", "1921"),
        (TEXT, "THE OLD Mill", "The old mill"),
        (TEXT, "was rebuilt in 1923", "was  rebuilt\nin 1923"),
        (TEXT, "  1919 ", "1919"),
        # Marks of an injection are shown otherwise.
        ("The <text> it\u200b bur\xadned.", "‹text> it burned", "<text> it\u200b bur\xadned"),
    ],
)
async def test_place_is_the_words_that_a_question_is_about(text: str, about: str, words: str) -> None:
    [query] = await asked([ask("When?", about)], text=text)
    assert text[query.start : query.end] == words


@pytest.mark.parametrize("about", ["", "1821", "ill", "19", "(?P<a", "[", "\\", "a" * 10_000, "(a+)+$" * 500])
@pytest.mark.parametrize(
    ("question", "sentence"), [("In which year has it burned?", BURNED), ("Which owner fled?", FLED)]
)
async def test_other_words_are_placed_in_a_like_sentence(about: str, question: str, sentence: str) -> None:
    [query] = await asked([ask(question, about)])
    assert TEXT[query.start : query.end] == sentence


async def test_unreadable_answer_is_an_error_and_no_empty_list() -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await generator(answering("")).generate(TEXT, None)


async def test_three_samples_are_united_in_the_order_of_the_text() -> None:
    late, early = ask("When did it burn?", "1921"), ask("When was it built?", "1919")
    queries = await asked([late], [early, late], [ask("Who fled?", "Its only owner"), early])
    assert [query.text for query in queries] == ["When was it built?", "When did it burn?", "Who fled?"]


async def test_samples_are_one_request_with_a_temperature() -> None:
    chat = answering({"questions": []})
    await generator(chat, 3).generate(TEXT, None)
    [call] = chat.calls
    assert (call.name, call.samples, call.temperature) == ("generate_queries", 3, 0.7)
    assert asked_of(chat) == {"context": "(none)", "text": TEXT.removesuffix("\n")}
