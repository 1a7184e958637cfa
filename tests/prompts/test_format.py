"""Loading, overriding, rendering, and the errors of a prompt file."""

from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.prompts import Prompt, load, names, require_known

OUTPUT = "{properties: {reason: {type: string}, verdict: {type: string}}}"
HEADER = f"version: 1\nvariables: [before, text, evidence]\noutput: {OUTPUT}\n"
USER = "{{before}} {{text}} {{evidence}}"
GOOD = f"---\n{HEADER}---\nJudge.\n<!-- user -->\n{USER}\n"


def override(folder: Path, text: str = GOOD, name: str = "judge_attribution") -> Path:
    (folder / f"{name}.md").write_text(text, encoding="utf-8", newline="")
    return folder


def own(folder: Path, text: str = GOOD) -> Prompt:
    return load("judge_attribution", override(folder, text))


def header(**changes: str) -> str:
    lines = dict(line.split(": ", 1) for line in HEADER.splitlines()) | changes
    return GOOD.replace(HEADER, "".join(f"{key}: {value}\n" for key, value in lines.items()))


@pytest.mark.parametrize("name", names())
def test_a_shipped_prompt_loads(name: str) -> None:
    prompt = load(name)
    assert (prompt.name, prompt.version.isdigit()) == (name, True)


def test_a_file_becomes_two_messages(tmp_path: Path) -> None:
    prompt = own(tmp_path)
    assert (prompt.system, prompt.user) == ("Judge.", USER)
    assert prompt.render(before="a", text="b", evidence="c") == "a b c"


def test_a_missing_variable_fails_by_name() -> None:
    with pytest.raises(InputError, match="generate_queries needs the variable 'text'"):
        load("generate_queries").render()


def test_an_unknown_variable_fails_by_name() -> None:
    with pytest.raises(InputError, match="generate_queries has no variable 'txt': its variables are text"):
        load("generate_queries").render(text="a", txt="b")


@pytest.mark.parametrize(
    "value", ["{{text}}", "{{before}}", "{0} {x} }}", r"\1 \g<0> C:\new", "", "<!-- user -->"]
)
def test_a_value_is_rendered_unchanged(tmp_path: Path, value: str) -> None:
    assert own(tmp_path).render(before=value, text="b", evidence=value) == f"{value} b {value}"


def test_an_override_wins(tmp_path: Path) -> None:
    assert own(tmp_path).system == "Judge."


def test_a_prompt_without_override_comes_from_the_package(tmp_path: Path) -> None:
    assert load("edit", override(tmp_path)) == load("edit")


@pytest.mark.parametrize("written", ["\ufeff" + GOOD, GOOD.replace("\n", "\r\n")])
def test_bom_and_line_ends_of_a_prompt_file_change_nothing(tmp_path: Path, written: str) -> None:
    assert own(tmp_path, written) == own(tmp_path, GOOD)


def test_the_hash_depends_on_the_content_of_the_file(tmp_path: Path) -> None:
    before, after = own(tmp_path), own(tmp_path, GOOD.replace("Judge.", "Judge!"))
    assert before.hash != after.hash
    assert own(tmp_path).hash == before.hash


NO_OTHERS = "must have output, variables, version, may have tokens, and nothing else"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Judge.", "has no header: begin it with version, variables, output between two lines ---"),
        ("Judge.\n" + GOOD, "has no header"),
        (f"---\n{HEADER}", "has no header"),
        (header(version="[1"), r"the header of .* is not YAML \("),
        (GOOD.replace(HEADER, "version: 1\n"), NO_OTHERS),
        (header(model="m"), NO_OTHERS),
        (GOOD.replace(HEADER, "- version\n"), NO_OTHERS),
        (header(tokens="0"), "tokens is a whole number from 1 on, such as 100"),
        (header(tokens="many"), "tokens is a whole number from 1 on"),
        (header(variables="text"), r"variables is a list of names, such as \[text, query\]"),
        (header(variables="[1]"), "variables is a list of names"),
        (header(output="{type: object}"), "output is a JSON schema of an object, with its properties"),
        (header(output="{properties: [verdict]}"), "output is a JSON schema"),
        (header(output="verdict"), "output is a JSON schema"),
        (GOOD.replace("<!-- user -->", ""), "has no line <!-- user -->: write one such line"),
        (GOOD.replace("<!-- user -->", "See <!-- user -->"), "has no line <!-- user -->"),
        (GOOD + "<!-- user -->\n", "has more than one line <!-- user -->"),
        (GOOD.replace("Judge.", "Judge {{text}}."), "'text' above <!-- user -->: move it below"),
        (GOOD + "{{txt}}", "uses 'txt', which its header does not declare: its variables are before, text"),
        (GOOD.replace("{{before}}", ""), r"does not use its variable 'before': write \{\{before\}\} where"),
    ],
)
def test_a_malformed_prompt_file_is_a_one_line_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        own(tmp_path, text)
    assert str(tmp_path / "judge_attribution.md") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_prompt_file_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "edit.md").write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(InputError, match=r"edit\.md cannot be read .* give a Markdown file in UTF-8"):
        load("edit", tmp_path)


def test_an_override_with_an_unknown_variable_fails_by_name(tmp_path: Path) -> None:
    text = GOOD.replace("evidence]", "evidence, tone]") + "{{tone}}"
    with pytest.raises(InputError, match="unknown variable 'tone': its variables are before, text, evidence"):
        own(tmp_path, text)


def test_an_override_that_lacks_a_variable_fails_by_name(tmp_path: Path) -> None:
    text = GOOD.replace("before, ", "").replace("{{before}}", "")
    with pytest.raises(InputError, match=r"lacks the variable 'before': write \{\{before\}\} where it goes"):
        own(tmp_path, text)


def test_an_override_whose_answer_lacks_a_field_fails_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"judge_attribution\.md lacks 'reason', which rarr reads"):
        own(tmp_path, GOOD.replace("reason: {type: string}, ", ""))


def test_a_folder_of_known_prompts_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    require_known(override(tmp_path))


def test_an_override_of_an_unknown_prompt_fails_by_name(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"edits\.md overrides no prompt; the prompts are answer_with_citations, "
    ):
        require_known(override(tmp_path, name="edits"))


def test_a_missing_prompt_folder_fails_by_name(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"none', which is not a folder: name a folder with files such as edit\.md"
    ):
        require_known(tmp_path / "none")


def test_a_prompt_that_does_not_exist_fails_by_name() -> None:
    with pytest.raises(InputError, match=r"no_such_prompt\.md cannot be read"):
        load("no_such_prompt")
