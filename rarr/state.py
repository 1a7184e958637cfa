"""What travels through the graph. A node returns only the keys that it wrote."""

from operator import add, or_
from typing import Annotated, Literal

from typing_extensions import TypedDict  # pydantic reads traces by it, and cannot read typing's

from rarr.errors import BudgetError, RarrError
from rarr.records import Check, Edit, Evidence, Notice, Passage, Query, Report, Scores
from rarr.tools.text.document import Span


def failure(
    node: str, problem: str, error: BaseException, *, code: str = "", query_id: str | None = None
) -> Notice:
    """What the user is told of something that failed and was survived; our own errors name their cure."""
    if isinstance(error, BudgetError):
        problem, code, query_id = (
            "the budget is spent, and what was left to ask is left out",
            "budget_exhausted",
            None,
        )
    reason = str(error) if isinstance(error, RarrError) else f"{type(error).__name__}: {error}"
    return Notice(code=code or f"{node}_failed", message=f"{problem}: {reason}", node=node, query_id=query_id)


Unsearched = Literal["failed", "cut"]
"""Why a query has no evidence that was looked for: its research failed, or the budget had run out."""


def unsearched(query_id: str, error: BaseException) -> dict[str, Unsearched]:
    """The entry of the state for a query whose research raised `error`."""
    return {query_id: "cut" if isinstance(error, BudgetError) else "failed"}


class State(TypedDict, total=False):
    """A run. `text` is the current text: the original with the accepted edits so far.

    Queries have their places in the original. `passages` are those found for each query. `tried` are the
    queries that an edit was asked for already, and `settled` the evidences that are not checked again
    whatever is edited: those that were gone through one after another, with the scope `text`. `followed` are
    the edits whose dependents were asked about. `judged` is the support of the sentences before and after the
    edits, as the scores count it. `round` counts the rounds of research, from 1; `lacking` are
    the sentences of `text` that a later one is for, and `reached` how many were supported, and how many edits
    accepted, before it. `told` is what components warned of, which kept no node from its work.

    A run may be that of the `block`th block of a long text: the first `lead` characters of its text are read,
    and nothing more.
    """

    original: str
    text: str
    context: str | None
    queries: list[Query]
    unsearched: Annotated[dict[str, Unsearched], or_]
    passages: Annotated[dict[str, list[Passage]], or_]
    evidence: list[Evidence]
    checks: list[Check]
    edits: list[Edit]
    tried: list[str]
    settled: list[str]
    followed: list[str]
    round: int
    lacking: list[Span]
    reached: tuple[int, int]
    report: Report
    scores: Scores
    judged: tuple[list[float | None], list[float | None]]
    block: int
    lead: int
    warnings: Annotated[list[Notice], add]
    told: Annotated[list[Notice], add]


def named(state: State, letter: str, number: int) -> str:
    """The id of a query or an edit, which no other of the whole text has."""
    block = state.get("block", 0)
    return f"{letter}{block}-{number}" if block else f"{letter}{number}"


def usable(state: State) -> list[Evidence]:
    """The evidence that something may be decided by."""
    return [evidence for evidence in state.get("evidence", []) if not evidence.suspicious]


class Branch(TypedDict):
    """What one search starts from."""

    query: Query
