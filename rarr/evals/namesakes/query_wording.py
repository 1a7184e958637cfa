"""Writes the questions, slots and claims of a property."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from string import Template
from typing import Literal

from rarr.errors import InputError

Form = Literal["question", "claim"]
Templates = Mapping[str, Mapping[Form, Sequence[str]]]
"""For each property, templates with $entity, and $object for the value in claims."""

_GENERAL: Mapping[Form, Sequence[str]] = {
    "question": ["What is the $property of $entity?"],
    "claim": ["The $property of $entity is $object."],
}


@cache
def shipped_templates() -> Templates:
    """Reads the templates of this package."""
    found: Templates = json.loads(files(__package__).joinpath("templates.json").read_text(encoding="utf-8"))
    return found


def template_of(templates: Templates, property_name: str, form: Form, random: Random) -> str:
    """Draws a template of the property; a property without templates has general ones."""
    return random.choice(templates.get(property_name, _GENERAL)[form])


def worded(template: str, property_name: str, entity: str, value: str = "") -> str:
    """Fills the template, and gives it a capital. Raises `InputError` for an unknown variable in it."""
    try:
        text = Template(template).substitute(entity=entity, object=value, property=property_name)
    except (KeyError, ValueError) as error:
        raise InputError(f"template {template!r} has {error}: give $entity and $object alone") from error
    return text[0].upper() + text[1:]
