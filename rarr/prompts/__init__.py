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
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from rarr.errors import InputError
from rarr.prompts.quotation import Quotation, marks_of

FOLDER = Path(__file__).parent
_USER = "<!-- user -->"
_DIVIDER = re.compile(rf"^{_USER}[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_HEADER = {"version", "variables", "output"}


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
        """Fills in the user message, with each variable quoted so that its text cannot end the quotation.

        Raises `InputError` that names a missing or unknown variable.
        """
        for name in self.variables:
            if name not in variables:
                raise InputError(f"prompt {self.name} needs the variable {name!r}, which is missing")
        for name in variables:
            if name not in self.variables:
                raise InputError(f"prompt {self.name} has no variable {name!r}: {_listed(self.variables)}")
        # In one pass, so that braces in a value are not read as variables.
        return _VARIABLE.sub(lambda match: self.quoted(variables[match[1]]).shown, self.user)

    def quoted(self, text: str) -> Quotation:
        """Quotes `text` as `render` shows it, with the places of the shown characters in `text`."""
        return Quotation.of(text, marks_of(self.user))

    def parse(self, user: str) -> dict[str, str] | None:
        """Reads the variables out of a user message that `render` made; None if this prompt did not make it.

        The values are in the form of `quoted`, so that no line in them looks like a line of the template.
        """
        pieces = _VARIABLE.split(self.user)  # words, variable, words, ..., variable, words
        names = pieces[1::2]
        groups = [f"(?P={name})" if name in names[:i] else f"(?P<{name}>.*?)" for i, name in enumerate(names)]
        words = [re.escape(piece) for piece in pieces[::2]]
        pattern = "".join(word + group for word, group in zip(words, [*groups, ""], strict=True))
        match = re.fullmatch(pattern, user, re.DOTALL)
        return match.groupdict() if match else None


def load(name: str, folder: Path | None = None) -> Prompt:
    """Loads the prompt `name`: from `folder` if it has the file, else from the package.

    Its output must have the fields of the package's prompt. Raises `InputError` that names file and cure.
    """
    if folder is None or not (folder / f"{name}.md").is_file():
        return _read(FOLDER / f"{name}.md")
    return load_file(folder / f"{name}.md", name)


def load_file(file: Path, name: str) -> Prompt:
    """Loads the prompt in `file`, of any name, for use in place of the prompt `name`. Raises like `load`."""
    own = _read(FOLDER / f"{name}.md")
    prompt = replace(_read(file), name=name)
    for variable in prompt.variables:
        if variable not in own.variables:
            raise InputError(f"{file} has an unknown variable {variable!r}: {_listed(own.variables)}")
    for variable in own.variables:
        if variable not in prompt.variables:
            raise InputError(f"{file} lacks the variable {variable!r}: write {_tag(variable)} where it goes")
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


def require_both_forms(folder: Path) -> None:
    """Raises `InputError` if `folder` overrides only one form of a prompt: with a context or without.

    Half of the texts would not use it.
    """
    for file in sorted(folder.glob("*.md")):
        plain = file.stem.removesuffix("_in_context")
        twin, when = (f"{plain}_in_context", "with") if file.stem == plain else (plain, "without")
        if twin in names() and not (folder / f"{twin}.md").is_file():
            raise InputError(
                f"{file} has no {twin}.md beside it, which is used {when} a context: copy it too"
            )


@lru_cache(maxsize=64)
def _parsed(name: str, text: str, shown: str) -> Prompt:
    parts = re.split(r"^---[ \t]*$\n?", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise InputError(
            f"{shown} has no header: begin it with version, variables, output between two lines ---"
        )
    header = _header(parts[1], shown)
    halves = _DIVIDER.split(parts[2])
    if len(halves) != 2:
        many = "more than one line" if len(halves) > 2 else "no line"
        raise InputError(f"{shown} has {many} {_USER}: write one such line, and the variables below it")
    system, user = halves
    if early := _VARIABLE.search(system):
        raise InputError(f"{shown} has the variable {early[1]!r} above {_USER}: move it below")
    used, declared = tuple(dict.fromkeys(_VARIABLE.findall(user))), tuple(header["variables"])
    for variable in (*used, *declared):
        if variable not in declared:
            raise InputError(
                f"{shown} uses {variable!r}, which its header does not declare: {_listed(declared)}"
            )
        if variable not in used:
            raise InputError(
                f"{shown} does not use its variable {variable!r}: write {_tag(variable)} where it goes"
            )
    return Prompt(
        name=name,
        version=str(header["version"]),
        variables=declared,
        output=header["output"],
        system=system.strip(),
        user=user.strip(),
        hash=hashlib.sha256(text.encode()).hexdigest()[:12],
        tokens=header.get("tokens"),
    )


def _read(file: Path) -> Prompt:
    try:
        text = file.read_text(encoding="utf-8-sig")  # some editors write a byte order mark first
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read ({error}): give a Markdown file in UTF-8") from None
    shown = f"prompt {file.stem}" if file.parent == FOLDER else str(file)
    return _parsed(file.stem, text, shown)


def _header(text: str, shown: str) -> dict[str, Any]:
    try:
        header = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"the header of {shown} is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(header, dict) or set(header) - {"tokens"} != _HEADER:
        raise InputError(
            f"the header of {shown} must have {', '.join(sorted(_HEADER))}, may have tokens, and nothing else"
        )
    tokens = header.get("tokens", 1)
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        raise InputError(f"the header of {shown}: tokens is a whole number from 1 on, such as 100")
    variables, output = header["variables"], header["output"]
    if not isinstance(variables, list) or not all(isinstance(name, str) for name in variables):
        raise InputError(f"the header of {shown}: variables is a list of names, such as [text, query]")
    if not isinstance(output, dict) or not isinstance(output.get("properties"), dict):
        raise InputError(f"the header of {shown}: output is a JSON schema of an object, with its properties")
    return header


def _tag(variable: str) -> str:
    return f"{{{{{variable}}}}}"


def _listed(variables: tuple[str, ...]) -> str:
    return f"its variables are {', '.join(variables) or 'none'}"
