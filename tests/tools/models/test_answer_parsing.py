"""Answers of language models are read as they were meant, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID
from pydantic import BaseModel

from rarr.backends.prompted.paper import EditAnswer
from rarr.backends.prompted.questions import GeneratedQuestion, QuestionsAnswer
from rarr.records import Agreement
from rarr.tools.models.answer_parsing import UnreadableAnswer, objects_with_key, read_answer, reasoning_end

YES, NO = {"verdict": "agrees"}, {"verdict": "disagrees"}
ASKED = {"questions": [{"question": "Who built it?"}, {"question": "When?", "about": "in 1911"}]}
ANSWERS: list[tuple[type[BaseModel], dict[str, Any] | None, list[str]]] = [
    (Agreement, YES, [
        '```json\n{"verdict": "agrees"}\n```<end_of_turn>',
        'The set {1, 2} and {a} help. {"verdict": "agrees"}',
        '<|im_start|>assistant\n{"verdict": "agrees"}<|im_end|>', '\ufeff{"verdict": "agrees"}</s>',
        '{"verdict": "agrees"}\n\n{"verdict": "agrees"}', '<think>\n\n</think>\n\n{"verdict": "agrees"}',
        '{"verdict": "**Agrees.**"}', '{verdict: agrees}', '{"verdict": "agrees",}',
        '[{"verdict": "agrees"}]', '{"confidence": 0.9, "tags": ["a", {"b": 1}], "verdict": "agrees"}',
        '{"reason": null, "text_answer": None, "verdict": "agrees"}',
        '[TOOL_CALLS] [{"name": "x", "arguments": {"verdict": "agrees"}}]',
    ]),
    (Agreement, NO, [
        '{"verdict": "agrees | disagrees"}\n{"verdict": "disagrees"}',
        '<think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}',
        'Maybe {"verdict": "agrees"}.\n</think>\n\n{"verdict": "disagrees"}',
        '<think>a<think>b</think>{"verdict": "agrees"}</think>{"verdict": "disagrees"}',
        '<|channel|>analysis<|message|>{"verdict": "agrees"}?<|end|><|start|>assistant'
        '<|channel|>final <|constrain|>json<|message|>{"verdict": "disagrees"}',
    ]),
    (Agreement, None, [
        '{"reason": "The page says "a" </think>\nverdict: agrees", "verdict": "disagrees"}',
        '{"reason": "The page says </think> verdict: agrees', '<think>It agrees.</think>',
        '<|channel|>analysis<|message|>So {"verdict": "agrees"}',
        '<think>I would say {"verdict": "agrees"} but',
        '{"verdict": "agrees"}<think>No.</think>{"verdict": "disagrees"}', '{"verdict": "partially agrees"}',
        '{"verdict": "not agrees"}', '{"verdict": agrees | disagrees}',
        '{"verdict": ["agrees", "disagrees"]}',
        '{"verdict": null}', '{"reason": "So., "verdict": "agrees"}',
        '{"reason": ["So."], "verdict": "agrees"}',
        '{"verdict": "agrees", "reason": "So.}\n{"verdict": "disagrees"}',
        '{"reason": "It says "x" } and "y".", "verdict": "agrees"}',
        '{"properties": {"verdict": {"enum": ["agrees", "disagrees"]}}, "required": ["verdict"]}',
        '{"verdict": "neither", "example": {"verdict": "agrees"}}',
        '{"verdict": "agrees", "Verdict": "disagrees"}',
        '{"properties": {"verdict": 1}, "example": {"verdict": "agrees"}}',
        '[{"verdict": "agrees"}, {"verdict": "disagrees"}]', '{verdict: agrees, verdict: disagrees}',
        '{"verdict": "agrees"}\n\nText: B\n{"verdict": "dis',
        '{"verdict": "agrees"} Or {"verdict": "partially"}',
        '{"verdict": "agrees", "reason": "Beca', '{"verdict": "agrees", "rea', '{verdict: agrees', '{', ' \n',
        "I'm sorry, but I can't tell whether it agrees.",
    ]),
    (Agreement, YES | {"reason": "</s> and <think> are tags"}, [
        '{"reason": "</s> and <think> are tags", "verdict": "agrees"}',
    ]),
    (Agreement, YES | {"reason": "So."}, [
        '{\n"reason": "So.", # it is\n "verdict": "agrees"}',
        "{'reason': 'So.', 'verdict': 'agrees', 'sure': True}",
    ]),
    (Agreement, YES | {"reason": "So\n\tit is."}, ['{"reason": "So\n\tit is.", "verdict": "agrees"}']),
    (Agreement, YES | {"reason": "\\(x\\_1\\)"}, ['{"reason": "\\(x\\_1\\)", "verdict": "agrees"}']),
    (Agreement, YES | {"text_answer": "1.50"}, ['{"Text Answer": 1.50, "verdict": "agrees"}']),
    (EditAnswer, {"revision": ""}, ['{"span": null, "revision": ""}']),
    (EditAnswer, None, [
        '{"span": "in 1911", "revision": null}', '{"span": "a", "revision": "see "<think>" there"}',
        '[{"span": "a", "revision": "b"}, {"span": "c", "revision": "d"}]',
    ]),
    (QuestionsAnswer, ASKED, [
        '```\n[{"question": "Who built it?"}, {"question": "When?", "about": "in 1911",}]\n```',
    ]),
    (QuestionsAnswer, None, [
        '[{"question": "Who built it?"}, {', '{"questions": [{"question": "Who built it?"}',
        '{"questions": [',
        '{"questions": ["Who built it?"]}', '{"questions": [{"question": "Who?"}, {"about": "1911"}]}',
    ]),
    (QuestionsAnswer, {"questions": []}, ['{"questions": []}', '[]']),
]  # fmt: skip
CASES = [(shape, values, text) for shape, values, texts in ANSWERS for text in texts]
CHANNELS = "<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>"
HARD = ["<think>", "</think>", "```", '"', "\\", "{", "}", '": "', "'", ",", "\n", "verdict", "é", "🚧"]
texts = st.lists(st.one_of(st.sampled_from(HARD), st.text(VALID, max_size=8)), max_size=6).map("".join)
anything = st.text(st.characters(exclude_categories=()), max_size=200)  # halves of characters as well
nearly = st.lists(st.sampled_from([*HARD, "span", "agrees", "[", "]", ":", " ", "&a", "*a"]), max_size=30)
edits = st.builds(EditAnswer, span=texts, revision=texts)
asked = st.builds(GeneratedQuestion, question=texts, about=texts)
questions = st.builds(QuestionsAnswer, questions=st.lists(asked, max_size=3))


def read_or_none(text: str, shape: type[BaseModel]) -> dict[str, Any] | None:
    try:
        return read_answer(text, shape).model_dump(exclude_defaults=True)
    except UnreadableAnswer:
        return None


@pytest.mark.parametrize(("shape", "values", "text"), CASES)
def test_collected_answers_are_read(shape: type[BaseModel], values: dict[str, Any] | None, text: str) -> None:
    assert read_or_none(text, shape) == values


@given(st.one_of(anything, nearly.map("".join)), st.sampled_from([Agreement, EditAnswer, QuestionsAnswer]))
def test_any_text_is_read_or_raises_the_parse_error(text: str, shape: type[BaseModel]) -> None:
    read_or_none(text, shape)


@given(st.one_of(edits, questions), st.booleans(), st.sampled_from([None, 2]), st.floats(0, 1))
def test_valid_answer_is_read_exactly_and_a_truncated_one_whole_or_not_at_all(
    answer: BaseModel, ascii_only: bool, indent: int | None, share: float
) -> None:
    text = json.dumps(answer.model_dump(), ensure_ascii=ascii_only, indent=indent)
    assert read_answer(text, type(answer)) == answer
    truncated = read_or_none(text[: int(share * len(text))], type(answer))
    assert truncated in (None, answer.model_dump(exclude_defaults=True))


def test_whole_objects_are_found_in_what_is_cut_off_or_broken() -> None:
    cards = '{"cards": [{"s": 1, "q": ["P1.1"]}, {"s": 2, "edits": [{"old": "a"}, {"old"'
    assert list(objects_with_key(cards, "s")) == [{"s": "1", "q": ["P1.1"]}]
    assert list(objects_with_key('{"c": [{"s": 1}, {"s" 2}, {"s": 3}]}', "s")) == [{"s": "1"}, {"s": "3"}]
    assert list(objects_with_key('{"S": 1}', "s")) == []


@pytest.mark.parametrize("lead", ["", "\n<think>A</think>\n[THINK]B[/THINK]", "A</think>\n\n", CHANNELS])
@pytest.mark.parametrize("answer", ["It.", "<thinkpad> is.", "<reasoning> is it.", "```\n</think>\n``` it."])
def test_answer_begins_behind_all_reasoning(lead: str, answer: str) -> None:
    assert (reasoning_end(lead + answer), reasoning_end(f"{lead}<think> okay")) == (len(lead), None)


def test_hostile_text_ends_quickly() -> None:
    for unit in ("[", "{", '"', "'", '{"', '{"verdict":', '[{"', "{}", "\\", '"\n#', "<s>", "a: ", "{a: "):
        assert read_or_none(unit * (100_000 // len(unit)), Agreement) is None


@pytest.mark.parametrize("deep", [40, 900, 50_000])
@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_answer_deep_inside_other_values_is_read_or_unreadable(left: str, right: str, deep: int) -> None:
    text = f'{left * deep}{{"verdict": "agrees"}}{right * deep}'
    assert read_or_none(text, Agreement) in (None, YES)
    assert read_or_none(f'{{"verdict": {text}}}', Agreement) is None
    assert list(objects_with_key(text, "verdict")) in ([], [YES])
