"""Finds the JSON objects and lists in a text that a language model wrote.

Common faults are repaired at the place where the decoder stops: comments, trailing and missing commas, other
quotes, keys without quotes, quotes within a string. What the end of the text cut off is never guessed.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from rarr.valid_unicode import valid

_STARTS = 100  # places at which JSON may begin, at most
_REPAIRS = 40  # in one object, at most
_DEEPEST = 50  # containers in containers
_QUOTES = "\"'“”„‘’‚"
_START = re.compile(
    rf"\{{\s*+(?:[{_QUOTES}]|//|\#|/\*|[A-Za-z_][\w -]{{0,60}}+:)"
    rf"|\[(?:\s*+[{{{_QUOTES}]|\](?=\s*+(?:```\s*+)?\Z))"
)
_QUOTED = re.compile(r'[{\[\s]*+"')
_BRACKET = re.compile(r"[{}\[\]]")
_COMMENT = re.compile(r"(?://|#)[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/")
_LITERAL = re.compile(r"(?:None|True|False)\b")
_LITERALS = {"None": "null", "True": "true", "False": "false"}
_KEY = re.compile(r"[A-Za-z_][\w -]{0,60}+(?=\s*+:)")
_WORD = re.compile(r"[A-Za-z_]\w{0,60}+(?=\s*+[,}\n])")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_END = re.compile(r"\s*+(?:```\s*+)?\Z")
_OTHER_QUOTES = re.compile(
    r"'((?:[^\\\n]|\\.){0,2000}?)'(?=\s*+[,:}\]])|[“”„]([^“”\"\n]*+)[“”\"]|[‘’‚]([^‘’'\n]*+)[‘’']"
)
_KEY_IN_STRING = re.compile(r'\\"(?:(?:[^"\\]|\\.)*+")?\s*+:')
_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_ESCAPES = {"\\'": "'", '"': '\\"'}
_NEW_MEMBER = re.compile(r"[\"{\[]")


class Members(list[tuple[str, Any]]):
    """The members of an object, in order; a key may come twice."""


class Found(NamedTuple):
    """An object or list in a text, and what was read in it; `value` is None where it is broken or cut off."""

    text: str
    value: Any = None


_DECODER = json.JSONDecoder(
    strict=False,
    object_pairs_hook=lambda pairs: Members(valid(pairs)),
    parse_float=str,  # a number as it was written
    parse_int=str,
    parse_constant=str,
)


def find(text: str) -> Iterator[Found]:
    """Yields the outermost JSON objects and lists of `text`, in order."""
    at = 0
    for _ in range(_STARTS):
        if (start := _START.search(text, at)) is None:
            return
        found, at = _found(text, start.start())
        yield found


def objects(text: str, key: str) -> Iterator[dict[str, Any]]:
    """Yields the whole objects of `text` with this key, also those that begin with it inside broken ones."""
    for found in find(text):
        if found.value is not None:
            yield from _with_key(found.value, key)
            continue
        for start in list(re.finditer(rf'\{{\s*+"{key}"\s*+:', found.text))[:_STARTS]:
            with suppress(ValueError, RecursionError):
                yield from _with_key(_decoded(found.text[start.start() :])[0], key)


def _with_key(value: Any, key: str) -> Iterator[dict[str, Any]]:
    if isinstance(value, Members):
        if any(name == key for name, _ in value):
            yield plain(value)
            return
        value = [member for _, member in value]
    for inner in value if isinstance(value, list) else ():
        yield from _with_key(inner, key)


def plain(value: Any) -> Any:
    """Turns objects into dicts, and leaves other values as they are."""
    if isinstance(value, Members):
        return {name: plain(member) for name, member in value}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _decoded(text: str) -> tuple[Any, int]:
    """Decodes the JSON at the start of `text`; raises `RecursionError` if it is nested too deeply."""
    value, end = _DECODER.raw_decode(text)
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub("", text[:end])):
        depth += 1 if bracket[0] in "{[" else -1
        if depth > _DEEPEST:
            raise RecursionError
    return value, end


def _found(text: str, start: int) -> tuple[Found, int]:
    """Decodes the JSON that begins at `start`; returns it with the position behind it."""
    rest, escaped = text[start:], False
    has_quoted_keys = _QUOTED.match(text, start) is not None
    for _ in range(_REPAIRS):
        try:
            value, end = _decoded(rest)
        except RecursionError:
            break
        except json.JSONDecodeError as error:
            repaired = _repaired(rest, error.pos, has_quoted_keys=has_quoted_keys)
            if repaired is None and not escaped:
                repaired = _closed(rest, error.pos)
            if repaired is None and (quote := rest.rfind('"', 0, error.pos)) > 0:
                repaired, escaped = f"{rest[:quote]}\\{rest[quote:]}", True
            if repaired is None:
                break
            rest = repaired
        else:
            if escaped and ('"' in rest[end:] or _KEY_IN_STRING.search(rest, 0, end)):
                break  # the string may end at another quote
            return Found(rest[:end], value), len(text) - len(rest) + end
    end = _behind(text, start)
    return Found(text[start:end]), end


def _repaired(rest: str, at: int, *, has_quoted_keys: bool) -> str | None:
    """Repairs a common fault at the place `at`, where the decoder stopped; None if there is none.

    Where the first key has quotes, words before a colon are no key, but prose in a string.
    """
    before = rest[:at].rstrip()
    gap, last, first = rest[len(before) : at], before[-1:], rest[at : at + 1]
    if first == "," and last in ("{", "[", ","):
        return before + rest[at + 1 :]
    if first in ("}", "]") and last == ",":
        return before[:-1] + rest[at:]
    if first == "\\":  # an unknown escape is text with a backslash, as in \_ or \(
        return f"{rest[:at]}\\{rest[at:]}"
    if comment := _COMMENT.match(rest, at):
        return rest[:at] + rest[comment.end() :]
    if literal := _LITERAL.match(rest, at):
        return rest[:at] + _LITERALS[literal[0]] + rest[literal.end() :]
    if (last in ("}", "]") or (last == '"' and "\n" in gap)) and _NEW_MEMBER.match(rest, at):
        return f"{before},{gap}{rest[at:]}"
    if has_quoted_keys or last not in ("{", "[", ",", ":"):
        return None
    if word := (_WORD if last == ":" else _KEY).match(rest, at):
        return f'{rest[:at]}"{word[0]}"{rest[word.end() :]}'
    if quoted := _OTHER_QUOTES.match(rest, at):
        words = next(group for group in quoted.groups() if group is not None)
        escaped = _ESCAPE_OR_QUOTE.sub(lambda match: _ESCAPES.get(match[0], match[0]), words)
        return f'{rest[:at]}"{escaped}"{rest[quoted.end() :]}'
    return None


def _closed(rest: str, at: int) -> str | None:
    """Closes the objects of a text that ends behind a whole member; None within a list, which may go on."""
    before = rest[:at].rstrip().removesuffix(",")
    brackets = _STRING.sub("", before)
    if not _END.match(rest, at) or before[-1:] not in ('"', "}") or brackets.count("[") > brackets.count("]"):
        return None
    missing = brackets.count("{") - brackets.count("}")
    return before + "}" * missing if missing > 0 else None


def _behind(text: str, start: int) -> int:
    """The position after the bracket that closes the one at `start`, or the length of the text."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] in "{[" else -1
        if depth == 0:
            return bracket.end()
    return len(text)
