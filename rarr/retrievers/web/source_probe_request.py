"""Describes a free request that shows whether a source on the web can be used. It sends nothing."""

from collections.abc import Mapping
from typing import NamedTuple


class Probe(NamedTuple):
    """A request that tests whether a source works: it works if it answers with a status in `good`.

    `cures` tell what to do about other HTTP statuses; the cure for 0 is for all other failures.
    """

    url: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    good: tuple[int, ...]
    cures: Mapping[int, str]
