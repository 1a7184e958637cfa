"""Declares the mention of an entity of a graph in a text."""

from typing import NamedTuple


class Mention(NamedTuple):
    """A name in a text, `start` to `end`, with the entities that it may mean.

    One entity: the name means it. Several: the text does not tell which of them.
    """

    name: str
    start: int
    end: int
    entities: tuple[int, ...]
