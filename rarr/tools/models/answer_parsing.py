"""Reads the JSON in the answer of a language model, as a pydantic object or as objects with a key.

The pydantic class is the `shape` of the answer. Nothing is guessed: an answer is unreadable if it is cut off,
is prose, or gives two different results. A wrong verdict or half an edit is worse than asking again.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import dropwhile
from typing import Any, Literal, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from rarr.valid_unicode import valid

A = TypeVar("A", bound=BaseModel)

_STARTS = 100  # the most places of a text at which the reader looks for JSON
_DEEPEST = 50  # the most objects and lists around an answer
_LONGEST_REPAIRED = 20_000  # characters; repairing them takes a tenth of a second
_START = re.compile(r"\{\s*+(?:[\"'#]|[A-Za-z_][\w -]{0,60}+:)|\[(?:\s*+[{\"']|\](?=\s*+(?:```\s*+)?\Z))")
_BRACKET = re.compile(r"[{}\[\]]")
_BACKSLASH = re.compile(r"(\\[\"\\/bfnrtu])|\\")
_THINK = r"(?:think|thinking|thoughts?|reasoning)"
_FINAL = r"<\|channel\|>final[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
_OPENING = rf"(?:<{_THINK}>|\[THINK\]|<\|channel\|>analysis)"
_CLOSING = rf"(?:</{_THINK}>|\[/THINK\]|{_FINAL})\s*"
_REASONING_MARK = re.compile(
    r'(?<=[{\[,:\s])"(?:[^"\\\n]|\\.)*+"(?=\s*+[,:}\]])'  # a mark inside a JSON string does not count,
    r'|(?:(?<=:)|(?<=:\s))"(?:[^"\\\n]|\\.)*+\\?\Z'  # nor a mark inside a string that was cut off
    rf"|(?P<closed>{_CLOSING})|(?P<opened>{_OPENING}(?s:.*?)(?:{_CLOSING}|(?P<cut>\Z)))",
    re.IGNORECASE,
)
# If the chat template wrote the opening mark, the answer has only a closing mark, at the end of a line.
_REASONING = re.compile(rf"(?is)(?:(?:(?!{_OPENING}).)*?{_CLOSING}(?<=\n))?(?:\s*{_OPENING}.*?{_CLOSING})*")
# Before a small letter, an opening mark other than <think> may be a word of the answer.
_UNCLOSED = re.compile(rf"\s*(?:(?i:<think>)|(?i:{_OPENING})(?! [a-z]))")
_OBJECT = re.compile(r"\s*+(?:```\w*\s*+)?\{")
_MARKS_AROUND = " \t\r\n\xa0\ufeff\"'“”`*_"


class UnreadableAnswer(ValueError):  # noqa: N818  # it names an answer, not an error of this code
    """An answer cannot be read. The message is the reason on one line, such as "it has no 'verdict'"."""


class _MisfitError(UnreadableAnswer):
    """The JSON is complete, but does not fit the shape. A model may write such JSON before its answer."""


def _members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if members.setdefault(valid(name), sound := valid(value)) != sound:
            raise ValueError(f"{name!r} occurs twice")
    return members


# Reads each number as a string, in the form that the model wrote.
_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_members, parse_float=str, parse_int=str, parse_constant=str
)


def read_answer(text: str, shape: type[A], *, cut: bool = False) -> A:
    """Parses the JSON in `text` as an object of the class `shape`. Raises only `UnreadableAnswer`.

    `cut` tells whether a limit cut off the text. If so, the last JSON in the text must still be complete.
    """
    rest = without_reasoning(text)
    if not rest.strip():
        raise UnreadableAnswer("it is empty")
    found = [value for _, value in _json_values(rest)]
    outcomes = [outcome for value in found for outcome in _parse_objects(value, shape)]
    if cut and (not outcomes or found[-1] is None):
        raise UnreadableAnswer("it was cut off")
    if not outcomes:
        raise UnreadableAnswer("it has no JSON object that fits")
    meant = list(dropwhile(lambda outcome: isinstance(outcome, _MisfitError), outcomes)) or outcomes[-1:]
    if any(outcome != meant[0] for outcome in meant):
        raise UnreadableAnswer("it gives several answers that differ")
    if isinstance(meant[0], UnreadableAnswer):
        raise meant[0]
    return meant[0]


def objects_with_key(text: str, key: str) -> Iterator[dict[str, Any]]:
    """Yields complete JSON objects with `key` in `text`. In broken JSON, an object must begin with `key`."""
    for words, value in _json_values(text):
        values = [value]
        for start in list(re.finditer(rf'\{{\s*+"{key}"\s*+:', words))[:_STARTS] if value is None else ():
            with suppress(ValueError, RecursionError):
                values.append(_DECODER.raw_decode(words, start.start())[0])
        found = (members for each in values for members in _objects_with_field(each, {key}))
        yield from (members for members in found if key in members)


def without_reasoning(text: str) -> str:
    """Removes a model's reasoning from `text`. Raises `UnreadableAnswer` if reasoning has no clear end."""
    parts, start = list[str](), 0
    for mark in (it for it in _REASONING_MARK.finditer(text) if it.lastgroup):
        if mark["cut"] is not None:
            raise UnreadableAnswer("its reasoning has no end, and no answer follows")
        parts.append(text[start : mark.start()])
        start = mark.end()
        if mark["closed"]:  # the chat template wrote the opening mark
            if _OBJECT.match(text):
                raise UnreadableAnswer("its reasoning cannot be told from its answer")
            parts.clear()
    return "\n".join([*parts, text[start:]])


def reasoning_end(answer: str) -> int | None:
    """Returns where an answer's reasoning at the start ends: 0 without reasoning, None without an end."""
    found = _REASONING.match(answer)
    end = found.end() if found else 0
    if answer[:end].count("```") % 2 and not re.match(rf"(?i)\s*{_OPENING}", answer):
        end = 0  # the closing mark is inside a code block
    return None if _UNCLOSED.match(answer, end) else end


def _json_values(text: str) -> Iterator[tuple[str, Any]]:
    """Yields text and value (None if beyond repair) of each outermost JSON object or list in `text`."""
    at = 0
    for _ in range(_STARTS):
        if (start := _START.search(text, at)) is None:
            return
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            at, depth = len(text), 0
            for bracket in _BRACKET.finditer(text, start.start()):
                depth += 1 if bracket[0] in "{[" else -1
                if depth == 0:
                    at = bracket.end()
                    break
            value = _repaired_value(text[start.start() : at]) if depth == 0 else None
        yield text[start.start() : at], value


def _repaired_value(text: str) -> Any:
    """Reads JSON with small errors. Returns None if this is not possible.

    First tries plain backslashes in place of unknown escapes (LaTeX). Then tries YAML: it permits comments.
    """
    if len(text) > _LONGEST_REPAIRED:
        return None
    with suppress(ValueError, RecursionError):
        return _DECODER.decode(_BACKSLASH.sub(lambda match: match[1] or r"\\", text))
    with suppress(yaml.YAMLError, ValueError, RecursionError):
        return _yaml_value(yaml.compose(text, yaml.BaseLoader), set())
    return None


def _yaml_value(node: Any, seen: set[int]) -> Any:
    if id(node) in seen:
        raise ValueError("an alias, which could grow without end")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        return _members((str(_yaml_value(key, seen)), _yaml_value(value, seen)) for key, value in node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_yaml_value(item, seen) for item in node.value]
    return None if node.style is None and node.value in ("", "null", "None") else valid(node.value)


def _objects_with_field(value: Any, names: set[str], levels: int = _DEEPEST) -> Iterator[dict[str, Any]]:
    """Yields the outermost objects in `value`, at most `levels` deep, that have a key in `names`."""
    if isinstance(value, dict) and not names.isdisjoint(map(_folded_name, value)):
        yield value
    elif isinstance(value, dict | list) and levels:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects_with_field(item, names, levels - 1)


def _folded_name(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip(" *`").casefold())


def _parse_objects(value: Any, shape: type[A]) -> list[A | UnreadableAnswer]:
    """Parses the objects in `value` that have a field of `shape`. Returns an error for an unfit object."""
    if value is None:
        return [UnreadableAnswer("its JSON is broken or cut off")]
    [(name, field), *others] = shape.model_fields.items()
    is_alone = isinstance(value, list) and get_origin(field.annotation) is list and not others
    if is_alone and not isinstance(alone := _parse_object({name: value}, shape), UnreadableAnswer):
        return [alone]
    fitting = list(_objects_with_field(value, {_folded_name(name) for name in shape.model_fields}))
    outcomes = [_parse_object(members, shape) for members in fitting]
    if fitting == [value]:
        return outcomes
    # If one of several objects does not fit, it is unclear which object is the answer.
    return [UnreadableAnswer(str(it)) if isinstance(it, _MisfitError) else it for it in outcomes]


def _parse_object(value: dict[str, Any], shape: type[A]) -> A | UnreadableAnswer:
    try:
        return shape.model_validate(_fit_to_type(value, shape))
    except UnreadableAnswer as reason:
        return reason
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = ".".join(str(step) for step in first["loc"])
        if first["type"] == "missing":
            return _MisfitError(f"it has no {name!r}")
        return _MisfitError(f"its {name!r} does not fit: {' '.join(first['msg'].split())[:200]}")


def _fit_to_type(value: Any, wanted: Any) -> Any:
    """Renames the keys of JSON objects to fields of the class `wanted`, and texts to options of a `Literal`.

    Keys and texts are compared without case and punctuation. Leaves out null values and unknown keys.
    """
    if isinstance(value, str) and get_origin(wanted) is Literal:
        bare = value.lstrip(_MARKS_AROUND).rstrip(f"{_MARKS_AROUND}.,;:!").casefold()
        return next((option for option in get_args(wanted) if str(option).casefold() == bare), value)
    if isinstance(value, list) and get_origin(wanted) is list:
        return [_fit_to_type(item, get_args(wanted)[0]) for item in value]
    if not isinstance(value, dict) or not hasattr(wanted, "model_fields"):
        return value
    values: dict[str, Any] = {}
    for key, member in value.items():
        if member is None or (field := wanted.model_fields.get(name := _folded_name(key))) is None:
            continue
        read = _fit_to_type(member, field.annotation)
        if values.setdefault(name, read) != read:
            raise UnreadableAnswer(f"it has {name!r} twice, and they differ")
    return values
