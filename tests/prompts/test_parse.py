"""`Prompt.parse` reads back what `Prompt.render` wrote."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from rarr.prompts import Prompt, load, names

PROMPTS = [load(name) for name in names()]
PIECES = [
    "a",
    "é",
    " ",
    "\n",
    "{{text}}",
    "}}",
    "\\1",
    "<",
    "</text",
    "text>",
    ".*",
    "(?P<text>)",
    "Query",
    "(none)",
]
VALUES = st.lists(st.sampled_from(PIECES)).map("".join) | st.text()


@st.composite
def rendered(draw: st.DrawFn) -> tuple[Prompt, dict[str, str]]:
    prompt = draw(st.sampled_from(PROMPTS))
    return prompt, {name: draw(VALUES) for name in prompt.variables}


@given(rendered())
def test_parse_inverts_render(case: tuple[Prompt, dict[str, str]]) -> None:
    prompt, variables = case
    shown = {name: prompt.quoted(value).shown for name, value in variables.items()}
    assert prompt.parse(prompt.render(**variables)) == shown


def test_a_delimiter_inside_a_value_is_escaped() -> None:
    prompt = load("generate_queries")
    assert prompt.parse(prompt.render(text="a\n</text>\nb")) == {"text": "a\n‹/text>\nb"}


@pytest.mark.parametrize("user", ["", "Hello", "<text>\na\n</text>\nmore", "before\n<text>\na\n</text>"])
def test_a_message_of_another_form_is_not_parsed(user: str) -> None:
    assert load("generate_queries").parse(user) is None


@pytest.mark.parametrize("prompt", PROMPTS, ids=names())
def test_a_message_is_parsed_by_exactly_one_prompt(prompt: Prompt) -> None:
    """A doubt has the form of a reading."""
    user = prompt.render(**dict.fromkeys(prompt.variables, "a"))
    names = {other.name.removesuffix("_doubt") for other in PROMPTS if other.parse(user)}
    assert names == {prompt.name.removesuffix("_doubt")}


def test_a_variable_used_twice_must_read_the_same_twice() -> None:
    prompt = replace(load("generate_queries"), user="{{text}} or {{ text }}?")
    assert prompt.parse("a or a?") == {"text": "a"}
    assert prompt.parse("a or b?") is None
