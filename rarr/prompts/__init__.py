"""Loads prompts and fills in their variables. Each prompt is a Markdown file, which a user may replace:

    ---
    version: 1
    variables: [text, query]
    output: {a JSON schema of the answer, as YAML}
    tokens: 100
    ---
    Instructions and demonstrations, equal in all calls, so that the prefix cache of a server holds them.
    <!-- user -->
    Text: {{text}}
    Query: {{query}}

The part above `<!-- user -->` is the system message. It has no variables. A demonstration is a paragraph of
this part: an example of a user message, and below it the example's answer in one line. `tokens` limits the
answer (default: the limit in the settings). `labels` maps the words of a judge to classes of attribution.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, PositiveInt, ValidationError
from pydantic.dataclasses import dataclass

from rarr.errors import InputError
from rarr.records import AttributionClass

FOLDER = Path(__file__).parent
_USER = "<!-- user -->"
_DIVIDER = re.compile(rf"^{_USER}[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, config=ConfigDict(extra="forbid", coerce_numbers_to_str=True))
class Prompt:
    """A prompt with the content of its file. `hash`: the first 12 hex digits of the file's SHA-256 digest."""

    name: str
    version: str
    variables: tuple[str, ...]
    output: Mapping[str, Any]
    system: str
    user: str
    hash: str
    tokens: PositiveInt | None = None
    labels: Mapping[str, AttributionClass] | None = None

    def render(self, **variables: str) -> str:
        """Returns the user message with the values of `variables`. Raises `InputError` for a wrong name."""
        if problem := _variable_problem(variables, self.variables):
            raise InputError(f"prompt {self.name} {problem}")
        # Replaces all variables in one pass, so that a value with braces is not replaced again.
        return _VARIABLE.sub(lambda match: variables[match[1]], self.user)

    def variables_in(self, user: str) -> dict[str, str] | None:
        """Returns the values of the variables in a message that `render` made; None for another message."""
        begin, *rest = _VARIABLE.split(self.user)  # words, variable, words, ..., words
        pattern = re.escape(begin)
        for at in range(0, len(rest), 2):
            name = rest[at]
            pattern += f"(?P={name})" if name in rest[:at:2] else f"(?P<{name}>.*?)"
            pattern += re.escape(rest[at + 1])
        match = re.fullmatch(pattern, user, re.DOTALL)
        return match.groupdict() if match else None


def load(name: str, folder: Path | None = None) -> Prompt:
    """Loads the prompt `name` from `folder`, or from the package if `folder` does not have the prompt.

    Raises `InputError` if the file is wrong, or if it cannot replace the package's prompt (see `load_file`).
    """
    own = folder and folder / f"{name}.md"
    return load_file(own, name) if own and own.is_file() else _read_prompt(FOLDER / f"{name}.md")


def load_file(file: Path, name: str) -> Prompt:
    """Loads `file`, which may have any name, in place of the prompt `name`.

    Raises `InputError` if the variables differ from the package's prompt, or if the output lacks a field.
    """
    own, prompt = _read_prompt(FOLDER / f"{name}.md"), replace(_read_prompt(file), name=name)
    if problem := _variable_problem(prompt.variables, own.variables):
        raise InputError(f"{file} {problem}")
    for field in sorted(set(own.output["required"]) - set(prompt.output["properties"])):
        raise InputError(f"the output of {file} lacks {field!r}, which rarr reads: add it to its properties")
    return prompt


def names() -> list[str]:
    """Returns the names of all prompts of the package, sorted."""
    return sorted(file.stem for file in FOLDER.glob("*.md"))


def require_prompt_folder(folder: Path) -> None:
    """Raises `InputError` if `folder` is no folder, or has a Markdown file whose name is no prompt."""
    if not folder.is_dir():
        cure = "name a folder with files such as edit.md"
        raise InputError(f"prompts is {str(folder)!r}, which is not a folder: {cure}")
    for file in sorted(folder.glob("*.md")):
        if file.stem not in names():
            raise InputError(f"{file} overrides no prompt; the prompts are {', '.join(names())}")


def _read_prompt(file: Path) -> Prompt:
    shown = f"prompt {file.stem}" if file.parent == FOLDER else str(file)
    try:
        return _parse_prompt(file.stem, file.read_text(encoding="utf-8-sig"))  # some editors write a BOM
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{shown} cannot be read ({error}): give a Markdown file in UTF-8") from None
    except (ValidationError, TypeError, yaml.YAMLError) as error:
        problem = " ".join(str(error).partition("[type=")[0].split())
        cure = "give version, variables (names), output (a JSON schema); tokens and labels are optional"
        raise InputError(f"{shown} has a wrong header ({problem}): {cure}") from None
    except ValueError as error:
        raise InputError(f"{shown} {error}") from None


@lru_cache(maxsize=64)
def _parse_prompt(name: str, text: str) -> Prompt:
    """Parses a prompt file. Raises `ValueError`, `TypeError` or `yaml.YAMLError` for a wrong `text`."""
    parts = re.split(r"^---[ \t]*$\n?", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise ValueError("has no header: begin it with version, variables, output between two lines ---")
    system, *users = (part.strip() for part in _DIVIDER.split(parts[2]))
    if len(users) != 1:
        raise ValueError(f"has {len(users)} lines {_USER}: write one such line, and the variables below it")
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    prompt = Prompt(**yaml.safe_load(parts[1]), name=name, system=system, user=users[0], hash=digest)
    if not isinstance(prompt.output.get("properties"), dict):
        raise ValueError("has an output without properties: give a JSON schema of an object")
    if early := _VARIABLE.search(system):
        raise ValueError(f"has the variable {early[1]!r} above {_USER}: move it below")
    if problem := _variable_problem(_VARIABLE.findall(prompt.user), prompt.variables):
        raise ValueError(problem)
    return prompt


def _variable_problem(given: Iterable[str], known: Sequence[str]) -> str:
    """Returns a phrase about a variable that is missing or unknown; "" if `given` and `known` are equal."""
    differing = min({*given} ^ {*known}, default=None)
    if differing is None:
        return ""
    state = "missing" if differing in known else "unknown"
    return f"has the variables {', '.join(known) or 'none'}: {differing!r} is {state}"
