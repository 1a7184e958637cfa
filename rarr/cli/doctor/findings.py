"""What the doctor says of one thing."""

from typing import Literal, NamedTuple

State = Literal["ok", "missing", "broken"]


class Finding(NamedTuple):
    """One thing that was looked at. What is missing is optional; what is broken is in the way.

    `detail` is an error's message where one was raised; such messages hold their cure.
    """

    name: str
    state: State
    detail: str
    cure: str = ""
