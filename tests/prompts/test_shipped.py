"""The prompts that ship with the package keep the contract of their own headers, demonstrations included."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from rarr.prompts import Prompt, load, names
from rarr.tools.models.chat import estimated_tokens

# Each prompt's most tokens in the system message, and the fields of its answer that `rarr` reads.
PROMPTS = {
    "answer_with_citations": (500, ["statements"]),
    "check_agreement": (600, ["cards"]),
    "check_agreement_doubt": (300, ["cards"]),
    "check_agreement_paper": (660, ["text_answer", "evidence_answer", "reason", "verdict"]),
    "check_agreement_paper_in_context": (700, ["text_answer", "evidence_answer", "reason", "verdict"]),
    "correct_text": (400, ["revision"]),
    "corrupt": (450, ["errors"]),
    "edit": (620, ["span", "revision"]),
    "edit_in_context": (720, ["span", "revision"]),
    "edit_unchecked": (560, ["span", "revision"]),
    "edit_unchecked_in_context": (660, ["span", "revision"]),
    "generate_queries": (900, ["questions"]),
    "generate_queries_in_context": (1000, ["questions"]),
    "judge_attribution": (450, ["reason", "verdict"]),
    "outline": (420, ["sections"]),
    "rewrite_text": (400, ["revision"]),
    "score_answer": (520, ["reason", "level"]),
    "search_queries": (260, ["queries"]),
    "summarize": (400, ["summary"]),
    "target_queries": (700, ["questions"]),
    "write_article": (560, ["sections"]),
    "write_section": (560, ["text"]),
}
CARDS = ("check_agreement", "check_agreement_doubt")
ONCE = "Answer with one JSON object and nothing else."
CARDS_ONCE = "Answer with compact JSON alone, one card for each "
SCHEMA_WORDS = {
    *(
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "maxItems",
        "enum",
        "anyOf",
        "pattern",
    )
}


class Demonstration(NamedTuple):
    prompt: str
    variables: dict[str, str]
    answer: dict[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.answer["verdict"])


def paragraphs(prompt: Prompt) -> Iterator[tuple[str, str]]:
    """Each demonstration's user message and answer, as they stand in the system message."""
    for paragraph in prompt.system.partition(ONCE)[2].strip().split("\n\n"):
        user, _, answer = paragraph.rpartition("\n")
        yield user, answer


def demonstrations(*prompts: str) -> list[Demonstration]:
    return [
        Demonstration(name, load(name).parse(user) or {}, json.loads(answer))
        for name in prompts
        for user, answer in paragraphs(load(name))
    ]


def problems(value: object, schema: Mapping[str, Any], at: str = "answer") -> Iterator[str]:
    """Where `value` is not after `schema`: as much of JSON Schema as the shipped headers use."""
    if "anyOf" in schema:
        if all(list(problems(value, each, at)) for each in schema["anyOf"]):
            yield f"{at} has none of the forms"
        return
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    if not isinstance(value, kinds[schema["type"]]):
        yield f"{at} is no {schema['type']}"
    elif isinstance(value, dict) and list(value) != list(schema["properties"]):
        yield f"{at} has {', '.join(value)} for {', '.join(schema['properties'])}"
    elif isinstance(value, dict):
        for name, inner in schema["properties"].items():
            yield from problems(value[name], inner, f"{at}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from problems(item, schema["items"], f"{at}[]")
    elif value not in schema.get("enum", [value]):
        yield f"{at} is {value!r}"


def schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    inside = (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")]))
    for inner in (*inside, *schema.get("anyOf", ())):
        yield from schemas(inner)


def test_the_prompts_are_those_that_rarr_reads() -> None:
    assert names() == list(PROMPTS)


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_is_as_short_as_agreed(name: str) -> None:
    assert estimated_tokens([load(name).system]) <= PROMPTS[name][0]


@pytest.mark.parametrize("name", PROMPTS)
def test_an_answer_has_the_fields_that_rarr_reads_in_their_order(name: str) -> None:
    assert list(load(name).output["properties"]) == PROMPTS[name][1]


@pytest.mark.parametrize("name", PROMPTS)
def test_every_constrained_decoder_accepts_the_schema(name: str) -> None:
    for schema in schemas(load(name).output):
        assert schema.keys() <= SCHEMA_WORDS
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


@pytest.mark.parametrize("name", PROMPTS)
def test_instructions_end_with_what_to_answer(name: str) -> None:
    assert load(name).system.count(CARDS_ONCE if name in CARDS else ONCE) == 1


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_holds_no_variable_above_the_user_part(name: str) -> None:
    assert "{{" not in load(name).system


WITHOUT_DEMONSTRATIONS = CARDS
"""A small model repeats the words of a demonstration where the document does not answer."""


@pytest.mark.parametrize("name", CARDS)
def test_example_cards_follow_the_schema(name: str) -> None:
    shown = json.loads(load(name).system.splitlines()[-1])
    assert list(problems(shown, load(name).output)) == []
    verdicts = {card["v"] for card in shown["cards"]}
    assert verdicts == ({"yes", "no"} if name.endswith("doubt") else {"yes", "no", "mixed", "open", "none"})


@pytest.mark.parametrize("name", [name for name in PROMPTS if name not in WITHOUT_DEMONSTRATIONS])
def test_demonstrations_have_the_layout_of_calls(name: str) -> None:
    prompt, examples = load(name), list(paragraphs(load(name)))
    assert len(examples) >= 2
    for user, answer in examples:
        assert prompt.parse(user) is not None, user
        assert list(problems(json.loads(answer), prompt.output)) == []


ASKING = ("generate_queries", "generate_queries_in_context", "target_queries")


@pytest.mark.parametrize("demonstration", demonstrations(*ASKING))
def test_a_question_is_about_words_of_the_text_and_does_not_leak_them(demonstration: Demonstration) -> None:
    for item in demonstration.answer["questions"]:
        assert item["about"] in demonstration.variables["text"]
        assert item["about"] not in item["question"]


@pytest.mark.parametrize("name", ASKING)
def test_a_demonstration_shows_a_text_with_nothing_to_check(name: str) -> None:
    assert {"questions": []} in [demonstration.answer for demonstration in demonstrations(name)]


@pytest.mark.parametrize("demonstration", demonstrations("edit", "edit_in_context"))
def test_an_edit_replaces_words_that_stand_once_in_the_text(demonstration: Demonstration) -> None:
    span, revision = demonstration.answer["span"], demonstration.answer["revision"]
    if span:
        assert demonstration.variables["text"].count(span) == 1
        assert span != revision


@pytest.mark.parametrize("name", ["edit", "edit_in_context"])
def test_a_demonstration_shows_a_declined_edit(name: str) -> None:
    assert {"span": "", "revision": ""} in [demonstration.answer for demonstration in demonstrations(name)]


@pytest.mark.parametrize("name", ["check_agreement_paper", "check_agreement_paper_in_context"])
def test_the_demonstrations_show_every_verdict(name: str) -> None:
    verdicts = {demonstration.verdict for demonstration in demonstrations(name)}
    assert verdicts == {"agrees", "disagrees", "irrelevant", "unknown"}


@pytest.mark.parametrize(
    "demonstration", demonstrations("check_agreement_paper", "check_agreement_paper_in_context")
)
def test_irrelevant_evidence_answers_nothing(demonstration: Demonstration) -> None:
    assert (demonstration.verdict == "irrelevant") is (demonstration.answer["evidence_answer"] == "")


@pytest.mark.parametrize("demonstration", demonstrations("corrupt"))
def test_an_error_replaces_words_that_stand_once_in_the_text(demonstration: Demonstration) -> None:
    for error in demonstration.answer["errors"]:
        assert demonstration.variables["text"].count(error["right"]) == 1
        assert error["kind"] in demonstration.variables["kinds"].split(", ")


def test_a_demonstration_shows_evidence_without_an_answer() -> None:
    assert {"summary": ""} in [demonstration.answer for demonstration in demonstrations("summarize")]


def test_the_demonstrations_show_every_class_of_attribution() -> None:
    shown = {demonstration.verdict for demonstration in demonstrations("judge_attribution")}
    assert shown == {"attributable", "extrapolatory", "contradictory"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"questions": [{"question": "Who?", "about": "she"}]}, []),
        ([], ["answer is no object"]),
        ({"questions": [{"about": "she", "question": "Who?"}]}, ["answer.questions[] has about, question"]),
        ({"questions": [{"question": "Who?", "about": 3}]}, ["answer.questions[].about is no string"]),
    ],
)
def test_the_check_of_answers_can_fail(value: object, expected: list[str]) -> None:
    shown = problems(value, load("generate_queries").output)
    assert [problem.partition(" for ")[0] for problem in shown] == expected


def test_the_check_of_verdicts_can_fail() -> None:
    answer = {"reason": "It says so.", "verdict": "agrees"}
    assert list(problems(answer, load("judge_attribution").output)) == ["answer.verdict is 'agrees'"]
