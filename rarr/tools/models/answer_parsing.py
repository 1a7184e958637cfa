"""Parses a language model's answer into a pydantic object (its "shape"), or says why it cannot.

Nothing is guessed: an answer that is cut off within a field, given twice or written in prose is unreadable. A
misread verdict and half an edit are worse than asking again.
"""

import json
import re
from itertools import dropwhile
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from rarr.tools.models.lenient_json import Array, Bare, Object, Parsed, Value, find
from rarr.valid_unicode import valid

A = TypeVar("A", bound=BaseModel)


class UnreadableAnswer(ValueError):  # noqa: N818  # it is about an answer, not about a failure here
    """An answer cannot be read; the message is the reason on one line, such as "it has no 'verdict'"."""


class _MisfitError(UnreadableAnswer):
    """Complete JSON that does not fit the shape: models may repeat the request before the answer."""


Outcome: TypeAlias = A | UnreadableAnswer

_NULLS = {"null", "none", "undefined"}
_WRAPPERS = 2  # levels: {"function": {"name": ..., "arguments": {...}}}
_THINK = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|scratchpad)"
_CLOSED = (
    rf"</{_THINK}>|◁/think▷|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|assistantfinal"
    r"|<\|channel\|>(?:final|commentary)[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
_MARK = re.compile(
    r"""
      (?<=[{\[,:\s])"(?:[^"\\\n]|\\.)*+"(?=\s*+[,:}\]])   # a mark inside a JSON string does not count,
    | (?:(?<=:)|(?<=:\s))"(?:[^"\\\n]|\\.)*+\\?\Z          # nor inside a string that was cut off
    """
    rf"""
    | (?P<closed>{_CLOSED})
    | (?P<opened><{_THINK}>|◁think▷|\[THINK\]|<\|START_THINKING\|>|<\|begin_of_thought\|>
        |<\|channel\|>analysis|\A\s*analysis(?-i:(?=[A-Z])))
    """
    r"""
    | (?P<token><\|\w{1,40}\|>|<｜[^｜\n]{1,40}｜>|</?s>|<(?:start|end)_of_turn>|<[be]os>|\[/?INST\])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REASONED = re.compile(_CLOSED, re.IGNORECASE)
_OBJECT = re.compile(r"\s*+(?:```\w*\s*+)?\{")
_HEADLESS = re.compile(r'\s*"[\w -]{1,40}"\s*:')  # the caller or the template wrote the first brace
_SCALAR = re.compile(r"[-+.\d][\w.%+-]*|true|false", re.IGNORECASE)

_AROUND = " \t\r\n\xa0\ufeff\u200b\"'“”„‘’‚«»*_`~"
_BEHIND = _AROUND + ".,;:!…。"


def read_answer(text: str, shape: type[A], *, cut: bool = False) -> A:
    """Parses the JSON in `text`, whatever stands around it. Raises only `UnreadableAnswer`.

    Of a text that was `cut` off, only whole JSON is read: half a list would pass for all of it.
    """
    parts = outside_reasoning(text)
    rest = "\n".join(parts).strip()
    if not rest:
        raise UnreadableAnswer("it is empty")
    if (inner := _json_string(rest)) is not None:
        return read_answer(inner, shape, cut=cut)
    found = [parsed for part in parts for parsed in find(_with_head(part))]
    outcomes = [outcome for parsed in found for outcome in _read(parsed, shape)]
    if cut and (not outcomes or found[-1].value.cut):
        raise UnreadableAnswer("it was cut off")
    if not outcomes:
        raise UnreadableAnswer("it has no JSON object that fits")
    return _agreed(outcomes)


def outside_reasoning(text: str) -> list[str]:
    """Returns the parts of `text` outside of reasoning. Raises `UnreadableAnswer` if its end is unclear."""
    parts: list[str] = []
    start = at = 0
    while mark := _MARK.search(text, at):
        at = mark.end()
        if mark.lastgroup is None:
            continue
        parts.append(text[start : mark.start()])
        if mark.lastgroup == "closed":  # the template wrote the opening mark
            if _OBJECT.match(text):
                raise UnreadableAnswer("its reasoning cannot be told from its answer")
            parts.clear()
        elif mark.lastgroup == "opened":
            end = _REASONED.search(text, at)
            if end is None:
                raise UnreadableAnswer("its reasoning has no end, and no answer follows")
            at = end.end()
        start = at
    return [*parts, text[start:]]


def _json_string(text: str) -> str | None:
    if not text.startswith('"'):
        return None
    try:
        value = valid(json.loads(text, strict=False))
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _with_head(part: str) -> str:
    return "{" + part if _HEADLESS.match(part) else part


def _agreed(outcomes: list[Outcome[A]]) -> A:
    """Returns the answer that all outcomes, but misfits at the start, share; raises if they differ."""
    meant = list(dropwhile(lambda outcome: isinstance(outcome, _MisfitError), outcomes)) or outcomes[-1:]
    if any(outcome != meant[0] for outcome in meant):
        raise UnreadableAnswer("it gives several answers that differ")
    if isinstance(meant[0], UnreadableAnswer):
        raise meant[0]
    return meant[0]


def _read(parsed: Parsed, shape: type[A], levels: int = _WRAPPERS) -> list[Outcome[A]]:
    outcomes = _outcomes(parsed.value, shape, levels)
    return [UnreadableAnswer("its JSON is broken")] if parsed.broken and outcomes else outcomes


def _outcomes(value: Value, shape: type[A], levels: int) -> list[Outcome[A]]:
    """Reads `value`, or if it has no field of `shape`, what it contains, down to `levels` levels."""
    if isinstance(value, Object) and _speaks_of(value, shape):
        return [_outcome(value, shape)]
    outcome = _as_only_list(value, shape) if isinstance(value, Array) else None
    if outcome and not isinstance(outcome, UnreadableAnswer):
        return [outcome]
    wrapped = _wrapped(value, shape, levels - 1) if levels else []
    # Beside an answer, an object that does not fit makes it doubtful which of them is meant.
    inner = [UnreadableAnswer(str(item)) if isinstance(item, _MisfitError) else item for item in wrapped]
    return inner or ([outcome] if outcome else [])


def _wrapped(value: Value, shape: type[A], levels: int) -> list[Outcome[A]]:
    if isinstance(value, str):
        held = value.strip() if value.lstrip().startswith(("{", "[")) else ""
        return [outcome for parsed in find(held) for outcome in _read(parsed, shape, levels)]
    inside = value.items if isinstance(value, Array) else [member for _, member in value.members]
    return [outcome for item in inside for outcome in _outcomes(item, shape, levels)]


def _as_only_list(value: Array, shape: type[A]) -> Outcome[A] | None:
    fields = list(shape.model_fields.items())
    if len(fields) != 1 or get_origin(fields[0][1].annotation) is not list:
        return None
    return _outcome(Object([(fields[0][0], value)], cut=False), shape)


def _folded(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip(" *`").casefold())


def _speaks_of(value: Object, shape: type[BaseModel]) -> bool:
    names = [_folded(name) for name in shape.model_fields]
    lost = _folded(value.lost or "")
    return any(_folded(key) in names for key, _ in value.members) or (
        lost != "" and any(name.startswith(lost) for name in names)
    )


def _outcome(value: Object, shape: type[A]) -> Outcome[A]:
    try:
        return shape.model_validate(_values(value, shape))
    except UnreadableAnswer as reason:
        return reason
    except ValidationError as error:
        return (UnreadableAnswer if value.cut else _MisfitError)(_reason(error))


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = ".".join(str(step) for step in first["loc"])
    message = " ".join(first["msg"].split())[:200]
    return f"it has no {name!r}" if first["type"] == "missing" else f"its {name!r} does not fit: {message}"


def _values(value: Object, shape: type[BaseModel]) -> dict[str, Any]:
    names = {_folded(name): name for name in shape.model_fields}
    if value.lost is not None and any(name.startswith(_folded(value.lost)) for name in names):
        raise UnreadableAnswer("it is cut off within a field")
    values: dict[str, Any] = {}
    for key, member in value.members:
        if name := names.get(_folded(key)):
            field = shape.model_fields[name]
            if isinstance(member, Bare) and member.casefold() in _NULLS and field.is_required():
                raise UnreadableAnswer(f"its {name!r} is {member}")  # half an edit deletes
            plain = _plain(member, field.annotation)
            if values.setdefault(name, plain) != plain:
                raise UnreadableAnswer(f"it has {name!r} twice, and they differ")
    return values


def _plain(value: Value, wanted: Any) -> Any:
    """Turns `value` into lists, dicts and strings for pydantic; raises if its end is uncertain."""
    if isinstance(value, Bare) and value.casefold() in _NULLS:
        return "" if wanted is str else None
    if isinstance(value, Bare) and wanted is str and not _SCALAR.fullmatch(value):
        raise UnreadableAnswer("it has a text without quotes")  # its end is uncertain
    if isinstance(value, str):
        return _option(value, wanted) if get_origin(wanted) is Literal else str(value)
    if isinstance(value, Array):
        return _items(value, wanted)
    if isinstance(wanted, type) and issubclass(wanted, BaseModel):
        return _values(value, wanted)
    if value.cut:
        raise UnreadableAnswer("it is cut off within a field")
    return {key: _plain(member, Any) for key, member in value.members}


def _option(text: str, wanted: Any) -> str:
    """Finds the option of a Literal equal to `text` but for case, quotes, marks; `text` if there is none."""
    bare = text.lstrip(_AROUND).rstrip(_BEHIND).casefold()
    options = (option for option in get_args(wanted) if isinstance(option, str))
    return next((option for option in options if option.casefold() == bare), text)


def _items(value: Array, wanted: Any) -> list[Any]:
    """Reads the items of a list, or those before a cut. Raises `UnreadableAnswer` if the cut leaves none."""
    of_list = get_origin(wanted) is list
    inner = get_args(wanted)[0] if of_list else Any
    items = value.items
    if items and not isinstance(items[-1], str) and items[-1].cut and not _fits(items[-1], inner):
        items = items[:-1]
    if value.cut and not (of_list and items):
        raise UnreadableAnswer("it is cut off within a field")
    return [_plain(item, inner) for item in items]


def _fits(value: Value, wanted: Any) -> bool:
    if not (isinstance(value, Object) and isinstance(wanted, type) and issubclass(wanted, BaseModel)):
        return False
    return not isinstance(_outcome(value, wanted), UnreadableAnswer)
