"""Tests how prompts are loaded, replaced and rendered, and the errors of a prompt file."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rarr.errors import InputError
from rarr.prompts import Prompt, load, names, require_prompt_folder
from rarr.tools.guard.quotation import quotation_of, render_quoted

HEADER = """version: 1
variables: [before, text, evidence]
output: {properties: {reason: {type: string}, verdict: {type: string}}}
"""
USER = "{{before}} {{text}} {{evidence}}"
GOOD = f"---\n{HEADER}---\nJudge.\n<!-- user -->\n{USER}\n"
PROMPTS = [load(name) for name in names()]
PIECES = ["a", "é", " ", "\n", "{{text}}", "}}", "\\1", "<", "</text", "text>", ".*", "(?P<text>)", "Query"]


def override(folder: Path, text: str = GOOD, name: str = "judge_attribution") -> Path:
    (folder / f"{name}.md").write_text(text, encoding="utf-8", newline="")
    return folder


def own_prompt(folder: Path, text: str = GOOD) -> Prompt:
    return load("judge_attribution", override(folder, text))


def test_an_override_wins_and_becomes_two_messages(tmp_path: Path) -> None:
    prompt = own_prompt(tmp_path)
    assert (prompt.system, prompt.user) == ("Judge.", USER)
    assert prompt.render(before="a", text="b", evidence="c") == "a b c"
    assert load("edit", tmp_path) == load("edit")
    for same in ("\ufeff" + GOOD, GOOD.replace("\n", "\r\n")):
        assert own_prompt(tmp_path, same) == prompt
    assert own_prompt(tmp_path, GOOD.replace("Judge.", "Judge!")).hash != prompt.hash


def test_rendering_is_strict_both_ways() -> None:
    with pytest.raises(InputError, match="generate_queries has the variables context, text: 'context' is"):
        load("generate_queries").render()
    with pytest.raises(InputError, match="has the variables context, text: 'txt' is unknown"):
        load("generate_queries").render(context="", text="a", txt="b")


@pytest.mark.parametrize("value", ["{{text}}", "{{before}}", "{0} {x} }}", r"\1 \g<0>", "", "<!-- user -->"])
def test_a_value_is_rendered_unchanged(tmp_path: Path, value: str) -> None:
    assert own_prompt(tmp_path).render(before=value, text="b", evidence=value) == f"{value} b {value}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Judge.\n" + GOOD, "has no header: begin it with version, variables, output between two lines ---"),
        (GOOD.replace("version: 1", "version: [1"), r"has a wrong header \("),
        (GOOD.replace(HEADER, "version: 1\n"), "wrong header .* variables .* give version, variables"),
        (GOOD.replace("version: 1", "version: 1\nmodel: m"), "wrong header .* model Unexpected keyword"),
        (GOOD.replace("{properties:", "{x:"), "has an output without properties: give"),
        (GOOD.replace("<!-- user -->", "See <!-- user -->"), "has 0 lines <!-- user -->: write one such"),
        (GOOD.replace("Judge.", "Judge {{text}}."), "'text' above <!-- user -->: move it below"),
        (GOOD + "{{txt}}", "has the variables before, text, evidence: 'txt' is unknown"),
        (GOOD.replace("{{before}}", ""), "has the variables before, .*: 'before' is missing"),
        (GOOD.replace("evidence]", "evidence, a]") + "{{a}}", "has the variables .*: 'a' is unknown"),
        (GOOD.replace("reason: {type: string}, ", ""), "lacks 'reason', which rarr reads"),
    ],
)
def test_a_malformed_prompt_file_is_a_one_line_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        own_prompt(tmp_path, text)
    assert str(tmp_path / "judge_attribution.md") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_overrides_prompts_that_exist_in_utf_8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none', which is not a folder: name a folder with files such as"):
        require_prompt_folder(tmp_path / "none")
    (tmp_path / "notes.txt").touch()
    (tmp_path / "edit.md").write_bytes(GOOD.encode("utf-16"))
    require_prompt_folder(override(tmp_path))
    with pytest.raises(InputError, match=r"edit\.md cannot be read .* give a Markdown file in UTF-8"):
        load("edit", tmp_path)
    with pytest.raises(InputError, match=r"edits\.md overrides no prompt; the prompts are answer_question"):
        require_prompt_folder(override(tmp_path, name="edits"))


@st.composite
def prompt_and_values(draw: st.DrawFn) -> tuple[Prompt, dict[str, str]]:
    prompt = draw(st.sampled_from(PROMPTS))
    values = st.lists(st.sampled_from(PIECES)).map("".join) | st.text()
    return prompt, {name: draw(values) for name in prompt.variables}


@given(prompt_and_values())
def test_quoted_values_are_read_back_from_a_message(case: tuple[Prompt, dict[str, str]]) -> None:
    prompt, variables = case
    shown = {name: quotation_of(prompt, value).shown for name, value in variables.items()}
    assert prompt.variables_in(render_quoted(prompt, variables)) == shown


@pytest.mark.parametrize("prompt", PROMPTS, ids=names())
def test_a_message_is_parsed_by_exactly_one_prompt(prompt: Prompt) -> None:
    """The prompt of doubts is left out: its message has the form of the prompt of cards."""
    user = prompt.render(**dict.fromkeys(prompt.variables, "a"))
    others = {other.name.removesuffix("_doubt") for other in PROMPTS if other.variables_in(user)}
    assert others == {prompt.name.removesuffix("_doubt")}
    assert prompt.variables_in(f"before\n{user}") is None
