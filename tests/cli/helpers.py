"""What the tests of the command line share."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

from rarr.records import Notice, Revision

FAILED = Notice(code="check_failed", message="no answer: start the server", node="check_agreement")
NOTHING = Notice(code="nothing_to_check", message="no checkable claim was found", node="generate_queries")


class Result(NamedTuple):
    status: int
    out: bytes
    err: str


Command = Callable[..., Result]


class FakeReviser:
    """Records how it was called, and answers with what `answer` makes of the text."""

    calls: ClassVar[list[tuple[str, str | None, Any]]]
    answer: ClassVar[Callable[[str], Revision]]

    def __init__(self, settings: Any, **_: object) -> None:
        self.settings = settings

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def revise(self, text: str, context: str | None = None, sources: object = None) -> Revision:
        self.calls.append((text, context, self.settings))
        return type(self).answer(text)


def is_complaint(err: str) -> bool:
    return err.startswith("rarr: ") and err.count("\n") == 1 and err.endswith("\n")
