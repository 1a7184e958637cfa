"""Words what is wrong with the body of a request, with what to send instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from rarr.serve.refusals import Refusal
from rarr.serve.request_options import dotted, wrong_value
from rarr.tools.text.plurals_and_articles import kind_of
from rarr.tools.text.validator_messages import cure

_NOT_AN_OBJECT = ("model_attributes_type", "model_type", "missing")


def wrong_body(errors: Sequence[ErrorDetails], model: type[BaseModel] | None, content_type: str) -> Refusal:
    """Makes the refusal of a request whose body or query is wrong. `model` describes the body."""
    error = errors[0]
    place, inner = error["loc"][0], error["loc"][1:]
    if place != "body" or model is None:
        path = dotted(error["loc"])
        return _refusal(path, f"{path}: {cure(error)}")
    keys = ", ".join(model.model_fields)
    if error["type"] == "json_invalid":
        why = f"{_context(error).get('error', 'wrong')}, at character {int(inner[0]) + 1 if inner else 1}"
        return _refusal("body", f"the body is not JSON ({why}): send an object with {keys}")
    if not inner and error["type"] in _NOT_AN_OBJECT:
        if isinstance(error["input"], bytes | str) and "json" not in content_type.lower():
            given = f"it is {content_type!r}" if content_type else "it is missing"
            return _refusal(
                "body", f"the header Content-Type does not say JSON ({given}): send application/json"
            )
        found = "empty" if error["input"] is None else kind_of(error["input"])
        return _refusal("body", f"the body is {found}: send an object with {keys}")
    path, message = wrong_value("body", [(each["loc"][1:], each) for each in errors], model)
    return _refusal(path, f"{path}: {message}")


def _refusal(path: str, message: str) -> Refusal:
    return Refusal(400, "invalid_request", message, param=path)


def _context(error: ErrorDetails) -> Mapping[str, Any]:
    return error.get("ctx") or {}
