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


def delimiters(prompt: Prompt) -> list[str]:
    return [line.partition("{{")[0] for line in prompt.user.splitlines() if not line.startswith("{{")]


@st.composite
def rendered(draw: st.DrawFn) -> tuple[Prompt, dict[str, str]]:
    prompt = draw(st.sampled_from(PROMPTS))
    values = VALUES.filter(lambda value: not any(line in value for line in delimiters(prompt)))
    return prompt, {name: draw(values) for name in prompt.variables}


@given(rendered())
def test_parse_reads_what_render_wrote(case: tuple[Prompt, dict[str, str]]) -> None:
    prompt, variables = case
    assert prompt.parse(prompt.render(**variables)) == variables


def test_a_delimiter_inside_a_line_is_no_line() -> None:
    variables = {"text": "Say </text> twice: </text>."}
    prompt = load("generate_queries")
    assert prompt.parse(prompt.render(**variables)) == variables


@pytest.mark.parametrize("user", ["", "Hello", "<text>\na\n</text>\nmore", "before\n<text>\na\n</text>"])
def test_another_message_is_not_parsed(user: str) -> None:
    assert load("generate_queries").parse(user) is None


@pytest.mark.parametrize("prompt", PROMPTS, ids=names())
def test_a_message_is_that_of_one_prompt(prompt: Prompt) -> None:
    user = prompt.render(**dict.fromkeys(prompt.variables, "a"))
    assert [other.name for other in PROMPTS if other.parse(user)] == [prompt.name]


def test_a_variable_used_twice_must_read_the_same_twice() -> None:
    prompt = replace(load("generate_queries"), user="{{text}} or {{ text }}?")
    assert prompt.parse("a or a?") == {"text": "a"}
    assert prompt.parse("a or b?") is None
