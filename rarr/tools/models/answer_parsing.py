"""Parses a language model's answer into a pydantic object (its "shape"), or says why it cannot.

Nothing is guessed: an answer that is cut off, given twice or written in prose is unreadable. A
misread verdict and half an edit are worse than asking again.
"""

import json
import re
from itertools import dropwhile
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from rarr.tools.models.lenient_json import Found, Members, find
from rarr.valid_unicode import valid

A = TypeVar("A", bound=BaseModel)


class UnreadableAnswer(ValueError):  # noqa: N818  # it is about an answer, not about a failure here
    """An answer cannot be read; the message is the reason on one line, such as "it has no 'verdict'"."""


class _MisfitError(UnreadableAnswer):
    """Complete JSON that does not fit the shape: models may repeat the request before the answer."""


Outcome: TypeAlias = A | UnreadableAnswer

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
    found = [one for part in parts for one in find("{" + part if _HEADLESS.match(part) else part)]
    outcomes = [outcome for one in found for outcome in _read(one, shape)]
    if cut and (not outcomes or found[-1].value is None):
        raise UnreadableAnswer("it was cut off")
    if not outcomes:
        raise UnreadableAnswer("it has no JSON object that fits")
    # Models may repeat the request before the answer.
    meant = list(dropwhile(lambda outcome: isinstance(outcome, _MisfitError), outcomes)) or outcomes[-1:]
    if any(outcome != meant[0] for outcome in meant):
        raise UnreadableAnswer("it gives several answers that differ")
    if isinstance(meant[0], UnreadableAnswer):
        raise meant[0]
    return meant[0]


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


def _read(found: Found, shape: type[A], levels: int = _WRAPPERS) -> list[Outcome[A]]:
    if found.value is None:
        return [UnreadableAnswer("its JSON is broken or cut off")]
    return _outcomes(found.value, shape, levels)


def _outcomes(value: Any, shape: type[A], levels: int) -> list[Outcome[A]]:
    """Reads `value`, or if it has no field of `shape`, what it contains, down to `levels` levels."""
    names = {_folded(name) for name in shape.model_fields}
    if isinstance(value, Members) and any(_folded(key) in names for key, _ in value):
        return [_outcome(value, shape)]
    [(name, field), *others] = shape.model_fields.items()
    only = None
    if type(value) is list and get_origin(field.annotation) is list and not others:
        only = _outcome(Members([(name, value)]), shape)  # the list alone
        if not isinstance(only, UnreadableAnswer):
            return [only]
    inner: list[Outcome[A]] = []
    if isinstance(value, str) and levels:
        held = value.strip() if value.lstrip().startswith(("{", "[")) else ""
        inner = [outcome for found in find(held) for outcome in _read(found, shape, levels - 1)]
    elif isinstance(value, list) and levels:
        items = [member for _, member in value] if isinstance(value, Members) else value
        inner = [outcome for item in items for outcome in _outcomes(item, shape, levels - 1)]
    # Beside an answer, an object that does not fit makes it doubtful which of them is meant.
    inner = [UnreadableAnswer(str(item)) if isinstance(item, _MisfitError) else item for item in inner]
    return inner or ([only] if only else [])


def _folded(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip(" *`").casefold())


def _outcome(value: Members, shape: type[A]) -> Outcome[A]:
    try:
        return shape.model_validate(_values(value, shape))
    except UnreadableAnswer as reason:
        return reason
    except ValidationError as error:
        return _MisfitError(_reason(error))


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = ".".join(str(step) for step in first["loc"])
    message = " ".join(first["msg"].split())[:200]
    return f"it has no {name!r}" if first["type"] == "missing" else f"its {name!r} does not fit: {message}"


def _values(value: Members, shape: type[BaseModel]) -> dict[str, Any]:
    """Returns the members that are fields of `shape`, for pydantic; null counts as not given."""
    names = {_folded(name): name for name in shape.model_fields}
    values: dict[str, Any] = {}
    for key, member in value:
        if (name := names.get(_folded(key))) is None:
            continue
        field = shape.model_fields[name]
        if member is None and field.is_required():
            raise UnreadableAnswer(f"its {name!r} is null")  # half an edit deletes
        plain = (
            field.get_default(call_default_factory=True)
            if member is None
            else _plain(member, field.annotation)
        )
        if values.setdefault(name, plain) != plain:
            raise UnreadableAnswer(f"it has {name!r} twice, and they differ")
    return values


def _plain(value: Any, wanted: Any) -> Any:
    if isinstance(value, str):
        return _option(value, wanted) if get_origin(wanted) is Literal else value
    if isinstance(value, Members):
        of_shape = isinstance(wanted, type) and issubclass(wanted, BaseModel)
        return _values(value, wanted) if of_shape else dict(value)
    if isinstance(value, list):
        inner = get_args(wanted)[0] if get_origin(wanted) is list else Any
        return [_plain(item, inner) for item in value]
    return value


def _option(text: str, wanted: Any) -> str:
    """Finds the option of a Literal equal to `text` but for case, quotes, marks; `text` if there is none."""
    bare = text.lstrip(_AROUND).rstrip(_BEHIND).casefold()
    options = (option for option in get_args(wanted) if isinstance(option, str))
    return next((option for option in options if option.casefold() == bare), text)
