"""Declares the finding of an examination by `rarr doctor`."""

from typing import Literal, NamedTuple

State = Literal["ok", "missing", "broken"]


class Diagnosis(NamedTuple):
    """The result for one thing that was examined. `missing`: it is optional; `broken`: it prevents work.

    `detail` may be an error's message, which includes the cure.
    """

    name: str
    state: State
    detail: str
    cure: str = ""
