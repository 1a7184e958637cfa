"""What travels through the graph. A node returns only the keys that it wrote."""

from operator import add
from typing import Annotated, NamedTuple, TypedDict

from rarr.errors import RarrError
from rarr.records import Check, Edit, Evidence, Notice, Passage, Query, Report, Scores


def failure(
    node: str, what: str, error: BaseException, *, code: str = "", query_id: str | None = None
) -> Notice:
    """What the user is told of something that failed and was survived; our own errors name their cure."""
    reason = str(error) if isinstance(error, RarrError) else f"{type(error).__name__}: {error}"
    return Notice(code=code or f"{node}_failed", message=f"{what}: {reason}", node=node, query_id=query_id)


class Spent(NamedTuple):
    """One call of a node and its wall time."""

    node: str
    seconds: float


class State(TypedDict, total=False):
    """A run. `text` is the current text: the original with the accepted edits so far.

    Queries have their places in the original. `tried` are those that an edit was asked for already.
    """

    original: str
    text: str
    context: str | None
    queries: list[Query]
    evidence: Annotated[list[Evidence], add]
    checks: list[Check]
    edits: list[Edit]
    tried: list[str]
    report: Report
    scores: Scores
    warnings: Annotated[list[Notice], add]
    spent: Annotated[list[Spent], add]


class Branch(TypedDict, total=False):
    """The research on one query."""

    query: Query
    passages: list[Passage]
    evidence: Annotated[list[Evidence], add]
    warnings: Annotated[list[Notice], add]
    spent: Annotated[list[Spent], add]


class Findings(TypedDict, total=False):
    """What a branch hands back to the run."""

    evidence: Annotated[list[Evidence], add]
    warnings: Annotated[list[Notice], add]
    spent: Annotated[list[Spent], add]
