"""What language models answer is read as it was meant, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID
from pydantic import BaseModel

from rarr.backends.prompted.judging import AttributionAnswer
from rarr.backends.prompted.paper import EditAnswer
from rarr.backends.prompted.questions import GeneratedQuestion, QuestionsAnswer
from rarr.records import Agreement
from rarr.tools.models.answer_parsing import UnreadableAnswer, read_answer
from rarr.tools.models.lenient_json import find, objects, plain
from tools.malformed_answers import CASES

SHAPES: list[type[BaseModel]] = [Agreement, EditAnswer, QuestionsAnswer, AttributionAnswer]
HARD = [
    "<think>",
    "</think>",
    "</s>",
    "```",
    '"',
    "\\",
    "{",
    "}",
    '": "',
    "'",
    ",",
    "\n",
    "verdict",
    "é",
    "🚧",
]
texts = st.lists(st.one_of(st.sampled_from(HARD), st.text(VALID, max_size=8)), max_size=6).map("".join)
anything = st.text(st.characters(exclude_categories=()), max_size=200)  # halves of characters as well
WORDS = ["span", "revision", "agrees", "disagrees", '"verdict": "agrees"', "questions"]
pieces = [*HARD, *WORDS, "[", "]", ":", " "]
nearly = st.lists(st.sampled_from(pieces), max_size=30).map("".join)
agreements = st.builds(
    Agreement,
    text_answer=texts,
    evidence_answer=texts,
    reason=texts,
    verdict=st.sampled_from(["agrees", "disagrees", "irrelevant", "unknown"]),
)
edits = st.builds(EditAnswer, span=texts, revision=texts)
asked = st.builds(GeneratedQuestion, question=texts, about=texts)
questions = st.builds(QuestionsAnswer, questions=st.lists(asked, max_size=3))


def written(answer: BaseModel, *, ascii_only: bool = False, indent: int | None = None) -> str:
    return json.dumps(answer.model_dump(), ensure_ascii=ascii_only, indent=indent)


def read_or_none(text: str, shape: type[BaseModel]) -> dict[str, Any] | None:
    try:
        return read_answer(text, shape).model_dump(exclude_defaults=True)
    except UnreadableAnswer:
        return None


@pytest.mark.parametrize(("shape", "values", "text"), CASES)
def test_collected_answers_of_models_are_read(
    shape: type[BaseModel], values: dict[str, Any] | None, text: str
) -> None:
    assert read_or_none(text, shape) == values


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("<think>So", "its reasoning has no end, and no answer follows"),
        ('{"reason": "So."}', "it has no 'verdict'"),
        (
            '{"verdict": "so"}',
            "its 'verdict' does not fit: Input should be 'agrees', 'disagrees', 'irrelevant' or",
        ),
        ('{"verdict": "agr', "its JSON is broken or cut off"),
        ('{"verdict": "agrees", "verdict": "unknown"}', "it has 'verdict' twice, and they differ"),
        ('{"verdict": a b}', "its JSON is broken or cut off"),
        ('{"verdict": "agrees"}{"verdict": "unknown"}', "it gives several answers that differ"),
        ("It agrees.", "it has no JSON object that fits"),
    ],
)
def test_the_parse_error_is_one_line(text: str, reason: str) -> None:
    with pytest.raises(UnreadableAnswer) as raised:
        read_answer(text, Agreement)
    assert str(raised.value).startswith(reason)
    assert "\n" not in str(raised.value)


@given(st.one_of(anything, nearly), st.sampled_from(SHAPES))
def test_any_text_is_read_or_raises_the_parse_error(text: str, shape: type[BaseModel]) -> None:
    read_or_none(text, shape)


@given(st.one_of(agreements, edits, questions), st.booleans(), st.sampled_from([None, 2]))
def test_valid_answers_are_read_exactly(answer: BaseModel, ascii_only: bool, indent: int | None) -> None:
    assert read_answer(written(answer, ascii_only=ascii_only, indent=indent), type(answer)) == answer


@pytest.mark.slow
@given(st.one_of(edits, questions), st.sampled_from([None, 2]))
def test_truncated_answer_is_read_whole_or_not_at_all(answer: BaseModel, indent: int | None) -> None:
    text, whole = written(answer, indent=indent), answer.model_dump(exclude_defaults=True)
    for end in range(len(text)):
        assert read_or_none(text[:end], type(answer)) in (None, whole)


@pytest.mark.slow
@given(agreements)
def test_fields_after_a_verdict_are_read_whole_or_not_at_all(answer: Agreement) -> None:
    values = {"verdict": answer.verdict, "reason": answer.reason}
    text = json.dumps(values)
    for end in range(len(text)):
        read = read_or_none(text[:end], Agreement)
        assert read is None or read.items() <= values.items()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('x {"a": "b"} y [{"c": "d"}] z', [{"a": "b"}, [{"c": "d"}]]),
        ('{"a": 1, "b": [true, null, -1.5e3]}', [{"a": "1", "b": [True, None, "-1.5e3"]}]),
        ('{"a": "b",, }', [{"a": "b"}]),
        ('{"a": {} "b": [] "c": "d"}', [{"a": {}, "b": [], "c": "d"}]),
        ('{"a": ["b "c" d", "e"]}', [{"a": ['b "c" d', "e"]}]),
        ('{"a": ["b", // no\n]}', [{"a": ["b"]}]),
        ("{'a': 'b', “c”: „d”, ‘e’: ‘f’}", [{"a": "b", "c": "d", "e": "f"}]),
        ('{/* a\n */ a: "b" # c\n}', [{"a": "b"}]),
        ('{"a": "// no /* comment */ #"}', [{"a": "// no /* comment */ #"}]),
        ('{"a": "\\u00e9\\"\\/\\q"}', [{"a": 'é"/\\q'}]),
        ("{'a': 'it\\'s \\\\ \\n \"so\"'}", [{"a": 'it\'s \\ \n "so"'}]),
        ("[]", [[]]),
        ("{prose} {} [1] [x](y) {x | x > 0}", []),
        ('{"a": "b, "c": "d"}', [None]),
        ('{"a": [1} {"b": "c"}', [None]),
        ('{"a": {"b": "c"} d} {"e": "f"}', [None, {"e": "f"}]),
        ('{"a": "b', [None]),
        *(('{"a":' * deep + "1" + "}" * deep, [None]) for deep in (51, 900, 5000)),
        ("[{'a': 'b'}]", [[{"a": "b"}]]),
    ],
)
def test_json_is_found_and_common_faults_are_repaired(text: str, values: list[Any]) -> None:
    assert [plain(found.value) for found in find(text)] == values


def test_whole_objects_are_found_in_what_is_cut_off_or_broken() -> None:
    cards = '{"cards": [{"s": 1, "q": ["P1.1"]}, {"s": 2, "edits": [{"old": "a"}, {"old"'
    assert list(objects(cards, "s")) == [{"s": "1", "q": ["P1.1"]}]
    assert list(objects('{"c": [{"s": 1}, {"s" 2}, {"s": 3}]}', "s")) == [{"s": "1"}, {"s": "3"}]


@pytest.mark.parametrize(
    "unit", ["[", "{", '"', "'", '{"', '{"verdict":', '[{"', "{}", "\\", '"/*', '"\n#', "<s>", ", ", "a: "]
)
def test_hostile_text_ends_quickly(unit: str) -> None:
    assert read_or_none(unit * (100_000 // len(unit)), Agreement) is None
