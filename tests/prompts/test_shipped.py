"""Tests that the prompts of the package, with their demonstrations, keep to their own headers."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import pytest

from rarr.prompts import Prompt, load, names
from rarr.tools.models.chat import estimated_tokens

# Each prompt's most tokens in the system message, and the fields of its answer that `rarr` reads.
PROMPTS = {
    "answer_question": (330, ["answer"]),
    "answer_with_citations": (500, ["statements"]),
    "check_agreement": (600, ["cards"]),
    "check_agreement_doubt": (300, ["cards"]),
    "check_agreement_paper": (700, ["text_answer", "evidence_answer", "reason", "verdict"]),
    "correct_text": (400, ["revision"]),
    "corrupt": (450, ["errors"]),
    "edit": (720, ["span", "revision"]),
    "generate_queries": (1000, ["questions"]),
    **{f"judge_as_{it}": (350, ["verdict", "reason"]) for it in ("attribution", "facts", "nli", "summary")},
    "judge_attribution": (450, ["reason", "verdict"]),
    "judge_intent": (450, ["reason", "level"]),
    "outline": (420, ["sections"]),
    "rewrite_text": (400, ["revision"]),
    "score_answer": (520, ["reason", "level"]),
    "search_queries": (260, ["queries"]),
    "summarize": (400, ["summary"]),
    "target_queries": (700, ["questions"]),
    "write_section": (560, ["text"]),
}
CARDS = ("check_agreement", "check_agreement_doubt")
ONCE = "Answer with one JSON object and nothing else."
CARDS_ONCE = "Answer with compact JSON alone, one card for each "
SCHEMA_WORDS = {"type", "properties", "required", "additionalProperties", "items", "maxItems", "enum"}
SCHEMA_WORDS |= {"anyOf", "pattern", "$defs", "$ref"}


def demonstrations(prompt: Prompt) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """Returns the variables and the answer of each demonstration in the system message."""
    shown = (part.rpartition("\n") for part in prompt.system.partition(ONCE)[2].strip().split("\n\n"))
    return [(prompt.variables_in(user) or {}, json.loads(answer)) for user, _, answer in shown]


def fits_schema(answer: object, prompt: Prompt) -> bool:
    return bool(jsonschema.Draft202012Validator(dict(prompt.output)).is_valid(answer))


def schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    named = (*schema.get("properties", {}).values(), *schema.get("$defs", {}).values())
    for inner in (*named, *filter(None, [schema.get("items")]), *schema.get("anyOf", ())):
        yield from schemas(inner)


@pytest.mark.parametrize("name", names())
def test_a_prompt_keeps_what_was_agreed(name: str) -> None:
    """The prompt is short and asks once for JSON. Every constrained decoder accepts its schema."""
    prompt, (most, fields) = load(name), PROMPTS[name]
    assert estimated_tokens([prompt.system]) <= most
    assert list(prompt.output["properties"]) == fields
    assert prompt.system.count(CARDS_ONCE if name in CARDS else ONCE) == 1
    for schema in schemas(prompt.output):
        assert schema.keys() <= SCHEMA_WORDS
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


@pytest.mark.parametrize("name", CARDS)
def test_example_cards_follow_the_schema(name: str) -> None:
    shown = json.loads(load(name).system.splitlines()[-1])
    assert fits_schema(shown, load(name))
    verdicts = {card["v"] for card in shown["cards"]}
    assert verdicts == ({"yes", "no"} if name.endswith("doubt") else {"yes", "no", "mixed", "open", "none"})


# A small model repeats the words of a demonstration where the document does not answer: cards have none.
@pytest.mark.parametrize("name", [name for name in PROMPTS if name not in CARDS])
def test_demonstrations_have_the_layout_of_calls(name: str) -> None:
    shown = demonstrations(load(name))
    assert shown and all(variables and fits_schema(answer, load(name)) for variables, answer in shown)


@pytest.mark.parametrize("name", ["generate_queries", "target_queries"])
def test_a_question_is_about_words_of_the_text_and_does_not_leak_them(name: str) -> None:
    shown = demonstrations(load(name))
    marked = [len(re.findall(r"\[S\d\]", variables["text"])) for variables, _ in shown]
    asked = [len(answer["questions"]) for _, answer in shown]
    assert 0 in asked or asked < marked  # an opinion is not asked about
    items = [(variables["text"], item) for variables, answer in shown for item in answer["questions"]]
    assert all(it["about"] in text and it["about"] not in it["question"] for text, it in items)


def test_an_edit_changes_the_words_that_it_names_and_no_others() -> None:
    for variables, answer in demonstrations(load("edit")):
        before, span, after = variables["text"].partition(answer["span"])
        assert span and answer["revision"] != variables["text"]
        assert (answer["revision"].startswith(before), answer["revision"].endswith(after)) == (True, True)


def test_demonstrations_show_each_kind_of_answer() -> None:
    answers = [answer for _, answer in demonstrations(load("check_agreement_paper"))]
    assert {answer["verdict"] for answer in answers} == {"agrees", "disagrees", "irrelevant"}
    assert all((answer["verdict"] == "irrelevant") is (not answer["evidence_answer"]) for answer in answers)
    assert {"summary": ""} in [answer for _, answer in demonstrations(load("summarize"))]
    shown = {answer["verdict"] for _, answer in demonstrations(load("judge_attribution"))}
    assert shown == {"attributable", "extrapolatory", "contradictory"}
    for variables, answer in demonstrations(load("corrupt")):
        for error in answer["errors"]:
            assert variables["text"].count(error["right"]) == 1
            assert error["kind"] in variables["kinds"].split(", ")
