"""A model writes contrasts to a sentence without the source, and chooses among all of them twice."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, language_model, query_about
from rarr.backends.prompted.contrast_sets import ContrastChecker, replaced_words
from rarr.backends.prompted.passage_surroundings import Surroundings
from rarr.backends.rules import chosen_statements
from rarr.errors import ModelError
from rarr.records import Agreement, Evidence
from rarr.testing import Asked, ScriptedModel

SENTENCE = "Her brother never lent the boat to others."
TEXT = f"# Ida Lunde\n\nIda Lunde was a geologist. {SENTENCE}"
QUERY = query_about(TEXT, SENTENCE, f"Is it true that Ida Lunde: {SENTENCE[:-1]}?")
LENT = SENTENCE.replace("never", "often")
OTHERS = (LENT, SENTENCE.replace("Her brother", "She"), SENTENCE.replace("boat", "house"))
SOURCE = evidence("Lunde lived in Aarle. Nobody but her brother was allowed to use the boat.").model_copy(
    update={"title": "Ida Lunde"}
)
QUOTE = "Nobody but her brother was allowed to use the boat."
Choose = Callable[[Sequence[str]], str]


def chooses(statement: str) -> Choose:
    """Finds the letter of a statement, in whatever place it stands."""
    return lambda statements: "ABCD"[statements.index(statement)]


def model(choose: Choose, *, contrasts: Sequence[str] = OTHERS, quote: str = QUOTE) -> ScriptedModel:
    def answers(asked: Asked) -> dict[str, Any]:
        if asked.prompt == "write_contrasts":
            return {"contrasts": [*contrasts]}
        users = [message.content for message in asked.messages if message.role == "user"]
        variables = PROMPTS["choose_statement"].parse(users[0])  # the last complains of the answer
        assert variables is not None
        statements = [line.partition(". ")[2] for line in variables["statements"].splitlines()]
        return {"quote": quote, "answer": choose(statements)}

    return ScriptedModel(answers)


def asked(chat: ScriptedModel) -> list[str]:
    return [call.name for call in chat.calls]


async def checked(chat: ScriptedModel, **changed: Any) -> Agreement | None:
    async def source_text(_: Evidence) -> str | None:
        return None

    checker = ContrastChecker(
        language_model(chat), PROMPTS, surroundings=Surroundings(source_text), comparison=chosen_statements
    )
    given = {"text": TEXT, "context": None, "query": QUERY, "evidence": SOURCE} | changed
    return await checker.check(**given)


async def test_source_that_says_the_sentence_agrees_in_its_own_words() -> None:
    chat = model(chooses(SENTENCE))
    agreement = await checked(chat)
    assert agreement is not None
    assert (agreement.verdict, agreement.text_answer) == ("agrees", SENTENCE)
    assert agreement.evidence_answer == QUOTE
    assert agreement.read_in is not None and QUOTE in agreement.read_in.text
    assert asked(chat) == ["write_contrasts", "choose_statement", "choose_statement"]


async def test_source_that_says_a_contrast_disagrees_in_the_words_that_it_replaces() -> None:
    agreement = await checked(model(chooses(LENT)))
    assert agreement is not None
    assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == (
        "disagrees", "never", QUOTE,
    )  # fmt: skip
    assert "'often'" in agreement.reason


@pytest.mark.parametrize("letter", "AB")
async def test_letter_chosen_for_its_place_is_no_choice(letter: str) -> None:
    assert await checked(chat := model(lambda statements: letter)) is None
    assert asked(chat).count("choose_statement") == 2


async def test_no_choice_is_not_asked_for_twice() -> None:
    assert await checked(chat := model(lambda statements: "none")) is None
    assert asked(chat).count("choose_statement") == 1


@pytest.mark.parametrize("quote", ["", "Her brother never lent the boat to others.", "She sold the boat."])
async def test_choice_without_words_of_the_source_does_not_count(quote: str) -> None:
    assert await checked(model(chooses(SENTENCE), quote=quote)) is None


async def test_source_titled_for_something_else_is_no_source_of_the_sentence() -> None:
    other = SOURCE.model_copy(update={"title": "Nora Vinter"})
    assert await checked(model(chooses(SENTENCE)), evidence=other) is None


async def test_contrasts_are_written_without_the_source_and_the_choice_does_not_tell_the_sentence() -> None:
    chat = model(chooses(SENTENCE))
    await checked(chat, context="Tell me of her.")
    written, first, second = (call.messages[-1].content for call in chat.calls)
    assert QUOTE not in written
    before = "Tell me of her.\n# Ida Lunde\nIda Lunde was a geologist."
    assert PROMPTS["write_contrasts"].parse(written) == {"before": before, "sentence": SENTENCE}
    shown = [PROMPTS["choose_statement"].parse(user) or {} for user in (first, second)]
    lists = [[line[3:] for line in variables["statements"].splitlines()] for variables in shown]
    assert sorted(lists[0]) == sorted(lists[1]) == sorted((SENTENCE, *OTHERS))
    assert all(a != b for a, b in zip(*lists, strict=True))


@pytest.mark.parametrize(
    "contrast",
    [SENTENCE, "", "Her brother lent the boat to 12 others.", "Ida Lunde had the boat burned at the quay."],
    ids=["the same", "empty", "another number", "other words"],
)
async def test_what_is_no_contrast_is_not_shown(contrast: str) -> None:
    chat = model(chooses(SENTENCE), contrasts=[contrast, LENT])
    await checked(chat)
    shown = PROMPTS["choose_statement"].parse(chat.calls[1].messages[-1].content) or {}
    assert sorted(line[3:] for line in shown["statements"].splitlines()) == sorted([SENTENCE, LENT])
    alone = model(chooses(SENTENCE), contrasts=[contrast])
    assert await checked(alone) is None
    assert asked(alone) == ["write_contrasts"]


TABLE = "| Mill | Owner |\n|---|---|\n| Elm Mill | the town of Aarle |\n"


@pytest.mark.parametrize(
    ("text", "about", "asks"),
    [
        (TEXT, "Ida Lunde", "Who was a geologist?"),
        (TABLE, "the town of Aarle", "Is it true that Elm Mill: the town of Aarle?"),
        ("**Later life**\n\nIda Lunde was old.", "**Later life**", "Is it true that Later life?"),
    ],
    ids=["value", "cell", "label"],
)
async def test_other_queries_are_not_asked(text: str, about: str, asks: str) -> None:
    chat = model(chooses(SENTENCE))
    assert await checked(chat, text=text, query=query_about(text, about, asks)) is None
    assert asked(chat) == []


async def test_answer_that_cannot_be_read_is_no_verdict() -> None:
    with pytest.raises(ModelError):
        await checked(model(lambda statements: "E"))


@pytest.mark.parametrize(
    ("statement", "replaced"),
    [
        ("The mill did not open in May.", ("opened", "did not open")),
        ("The mill opened in June.", ("May", "June")),
        ("The mill opened not in May.", ("opened", "opened not")),
        ("The opened in May.", ("The mill", "The")),
        ("The mill opened in May or June.", ("May", "May or June")),
        ("The dam of Aarle was sold to Per Dahl.", None),
        ("The mill opened in May.", None),
    ],
)
def test_replaced_words_are_as_few_as_possible(statement: str, replaced: tuple[str, str] | None) -> None:
    sentence = "The mill opened in May."
    assert replaced_words(sentence, statement) == replaced
    if replaced is not None:
        assert sentence.replace(*replaced) == statement


def test_replaced_words_stand_in_the_sentence_once() -> None:
    sentence = "The old mill is near the old dam of the town."
    words = replaced_words(sentence, "The old mill is near the new dam of the town.")
    assert words == ("near the old", "near the new")
