"""What may be asked of a source on the web to see whether it is there, at no cost."""

from collections.abc import Mapping
from typing import NamedTuple


class Probe(NamedTuple):
    """A request, with which statuses it is answered where all is well, and how to mend what is not.

    `cures` are by HTTP status; that for 0 is for all else.
    """

    url: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    good: tuple[int, ...]
    cures: Mapping[int, str]
