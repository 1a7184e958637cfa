"""A finding of the doctor."""

from typing import Literal, NamedTuple

State = Literal["ok", "missing", "broken"]


class Finding(NamedTuple):
    """One thing that was examined. A missing thing is optional; a broken thing prevents work.

    `detail` may be an error's message, which includes the cure.
    """

    name: str
    state: State
    detail: str
    cure: str = ""
