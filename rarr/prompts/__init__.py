"""Loads prompts and fills in their variables. Each prompt is one Markdown file; a user's folder may override.

    ---
    version: 1
    variables: [text, query]
    output: {a JSON schema of the answer, as YAML}
    tokens: 100
    ---
    Instructions and demonstrations: the same for every call, so that a server's prefix cache keeps them.
    <!-- user -->
    Text: {{text}}
    Query: {{query}}

The part above the line `<!-- user -->` is the system message and holds no variable. A demonstration in it
is a paragraph: a user message, laid out as the part below is, and after it the answer in one line.
`tokens` is the most that a whole answer has; without it the limit is the setting's.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, PositiveInt, ValidationError, field_validator

from rarr.errors import InputError

FOLDER = Path(__file__).parent
_USER = "<!-- user -->"
_DIVIDER = re.compile(rf"^{_USER}[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class Prompt:
    """One prompt. `hash` is the hash of the whole file, so two files with the same text have the same hash.

    `tokens` is the most that a whole answer has; None: as many as the settings allow.
    """

    name: str
    version: str
    variables: tuple[str, ...]
    output: Mapping[str, Any]
    system: str
    user: str
    hash: str
    tokens: int | None = None

    def render(self, **variables: str) -> str:
        """Fills in the user message, without quoting: `tools.guard.quotation` quotes what others wrote.

        Raises `InputError` that names a missing or unknown variable.
        """
        for name in self.variables:
            if name not in variables:
                raise InputError(f"prompt {self.name} needs the variable {name!r}, which is missing")
        for name in variables:
            if name not in self.variables:
                raise InputError(f"prompt {self.name} has no variable {name!r}: {_listed(self.variables)}")
        # In one pass, so that braces in a value are not read as variables.
        return _VARIABLE.sub(lambda match: variables[match[1]], self.user)

    def parse(self, user: str) -> dict[str, str] | None:
        """Reads the variables out of a user message that `render` made; None if this prompt did not make it.

        The values must be quoted, so that no line in them looks like a line of the template.
        """
        pieces = _VARIABLE.split(self.user)  # words, variable, words, ..., variable, words
        names = pieces[1::2]
        groups = [f"(?P={name})" if name in names[:i] else f"(?P<{name}>.*?)" for i, name in enumerate(names)]
        words = [re.escape(piece) for piece in pieces[::2]]
        pattern = "".join(word + group for word, group in zip(words, [*groups, ""], strict=True))
        match = re.fullmatch(pattern, user, re.DOTALL)
        return match.groupdict() if match else None


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    version: str
    variables: tuple[str, ...]
    output: dict[str, Any]
    tokens: PositiveInt | None = None

    @field_validator("output")
    @classmethod
    def _is_of_an_object(cls, output: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(output.get("properties"), dict):
            raise ValueError("it has no properties")
        return output


def load(name: str, folder: Path | None = None) -> Prompt:
    """Loads the prompt `name`: from `folder` if it has the file, else from the package.

    Its output must have the fields of the package's prompt. Raises `InputError` that names file and cure.
    """
    if folder is None or not (folder / f"{name}.md").is_file():
        return _read(FOLDER / f"{name}.md")
    return load_file(folder / f"{name}.md", name)


def load_file(file: Path, name: str) -> Prompt:
    """Loads the prompt in `file`, of any name, for use in place of the prompt `name`. Raises like `load`."""
    own, prompt = _read(FOLDER / f"{name}.md"), replace(_read(file), name=name)
    for problem in _differences(prompt.variables, own.variables):
        raise InputError(f"{file} {problem}")
    for field in sorted(set(own.output["required"]) - set(prompt.output["properties"])):
        raise InputError(f"the output of {file} lacks {field!r}, which rarr reads: add it to its properties")
    return prompt


def names() -> list[str]:
    """Lists the names of the package's prompts."""
    return sorted(file.stem for file in FOLDER.glob("*.md"))


def require_known(folder: Path) -> None:
    """Raises `InputError` if `folder` is not a folder, or has a Markdown file that overrides no prompt."""
    if not folder.is_dir():
        raise InputError(
            f"prompts is {str(folder)!r}, which is not a folder: name a folder with files such as edit.md"
        )
    for file in sorted(folder.glob("*.md")):
        if file.stem not in names():
            raise InputError(f"{file} overrides no prompt; the prompts are {', '.join(names())}")


def _read(file: Path) -> Prompt:
    try:
        text = file.read_text(encoding="utf-8-sig")  # some editors write a byte order mark first
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read ({error}): give a Markdown file in UTF-8") from None
    try:
        return _parsed(file.stem, text)
    except (ValueError, yaml.YAMLError) as error:
        shown = f"prompt {file.stem}" if file.parent == FOLDER else str(file)
        raise InputError(f"{shown} {_in_words(error)}") from None


@lru_cache(maxsize=64)
def _parsed(name: str, text: str) -> Prompt:
    """Parses the text of a file. Raises `ValueError` and `yaml.YAMLError`."""
    parts = re.split(r"^---[ \t]*$\n?", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise ValueError("has no header: begin it with version, variables, output between two lines ---")
    header = _Header.model_validate(yaml.safe_load(parts[1]))
    system, *users = _DIVIDER.split(parts[2])
    if len(users) != 1:
        raise ValueError(f"has {len(users)} lines {_USER}: write one such line, and the variables below it")
    if early := _VARIABLE.search(system):
        raise ValueError(f"has the variable {early[1]!r} above {_USER}: move it below")
    for problem in _differences(tuple(_VARIABLE.findall(users[0])), header.variables):
        raise ValueError(problem)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(name=name, system=system.strip(), user=users[0].strip(), hash=digest, **dict(header))


def _in_words(error: Exception) -> str:
    if isinstance(error, yaml.YAMLError):
        return f"has a header that is not YAML ({' '.join(str(error).split())}): correct it"
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or "all of it"
    return (
        f"has a header that does not fit at {place} ({first['msg']}): give version, variables (a list"
        " of names), output (a JSON schema with properties), perhaps tokens (such as 100), and no other"
    )


def _differences(used: tuple[str, ...], known: tuple[str, ...]) -> Iterator[str]:
    """Yields what is wrong with a variable that is used and not known, or known and not used."""
    for name in used:
        if name not in known:
            yield f"has an unknown variable {name!r}: {_listed(known)}"
    for name in known:
        if name not in used:
            yield f"lacks the variable {name!r}: write it in {{{{}}}} where it goes"


def _listed(variables: tuple[str, ...]) -> str:
    return f"its variables are {', '.join(variables) or 'none'}"
