"""Declares the state that travels through the graph. A node returns only the keys that it wrote."""

from operator import add, or_
from typing import Annotated, Literal, NamedTuple

from typing_extensions import TypedDict  # pydantic reads traces by it, and cannot read typing's

from rarr.errors import BudgetError, RarrError
from rarr.records import Check, Edit, Evidence, Notice, Passage, Query, Report, Scores
from rarr.records.base import Controls
from rarr.records.cards_and_edits import Card
from rarr.records.citations import AnswerSource, CitedStatement, PlannedSection, Statement
from rarr.tools.text.blocks_and_sentences import Span


def failure(
    node: str, problem: str, error: BaseException, *, code: str = "", query_id: str | None = None
) -> Notice:
    """Makes the warning about a failure that did not end the run: `problem`, then the error.

    The code is `code`, else NODE_failed. For a `BudgetError` code and text are those of an exhausted budget.
    """
    if isinstance(error, BudgetError):
        problem = "the budget is spent, and what was left to ask is left out"
        code, query_id = "budget_exhausted", None
    reason = str(error) if isinstance(error, RarrError) else f"{type(error).__name__}: {error}"
    return Notice(code=code or f"{node}_failed", message=f"{problem}: {reason}", node=node, query_id=query_id)


Unsearched = Literal["failed", "cut"]
"""The reason why evidence for a query is missing: its search failed, or a limit of the run cut it."""


class SentenceSupport(NamedTuple):
    """The place of a sentence, and its support by each evidence that was judged (None: could not be judged).

    `searched`: there are queries about it, those of `query_ids`, and no search for them failed.
    """

    span: Span
    by_evidence: dict[str, float | None]
    query_ids: tuple[str, ...] = ()
    searched: bool = False


Attributed = tuple[list[float | None], list[float | None]]
"""The support of each sentence before and after the edits; None if it was not judged."""


class State(TypedDict, total=False):
    """The state of a run. `text` is the current text: the original with the accepted edits so far.

    Offsets of queries point into the original. `passages` are the retrieved passages by query id.
    `relevances`: by query id and evidence id, how relevant passages of other queries are. `supports`: the
    sentences of `text`, with their support by a judge. `round` counts the rounds of research from 1.
    `lacking`: the sentences of `text` for another round. `reached`: the numbers of supported sentences and of
    accepted edits before that round. `told`: warnings of components that did not stop a node.

    `cards` are those of the sentences of `text` that were read as cards, and `kept` the ids of the evidence
    that each query kept. `attributed` is the support of the sentences, for the scores. `controls` counts the
    planted sentences of each reading.

    With `block`, the run is that of this block of a long text. The first `lead` characters of its text are
    only read, and not asked about.

    A run that writes an article begins with the topic as `original`, and the outline as `context`, one
    heading a line; they move to `topic` and `outline` before the first node. From the node
    `assemble` on, `original` is the article as written, without marks. `sections` is the plan, and `drafts`
    are the sections as written by their ids.

    A run that answers begins with the question as `original`. `sources` are the triples of the graph, then
    the passages too. `written` are the statements of a model, which become the `text`; `statements` are
    quotes.
    """

    original: str
    text: str
    context: str | None
    queries: list[Query]
    unsearched: Annotated[dict[str, Unsearched], or_]
    passages: Annotated[dict[str, list[Passage]], or_]
    evidence: list[Evidence]
    kept: dict[str, list[str]]
    cards: list[Card]
    attributed: Attributed
    controls: Annotated[list[Controls], add]
    checks: list[Check]
    edits: list[Edit]
    round: int
    lacking: list[Span]
    reached: tuple[int, int]
    report: Report
    scores: Scores
    relevances: dict[str, dict[str, float]]
    supports: list[SentenceSupport]
    block: int
    lead: int
    topic: str
    outline: str | None
    sections: list[PlannedSection]
    drafts: Annotated[dict[str, str], or_]
    sources: list[AnswerSource]
    written: list[CitedStatement]
    statements: list[Statement]
    warnings: Annotated[list[Notice], add]
    told: Annotated[list[Notice], add]


def named(state: State, letter: str, number: int) -> str:
    """Makes the id of a query or edit, such as q3, or q2-3 in block 2: it is unique in the whole text."""
    block = state.get("block", 0)
    return f"{letter}{block}-{number}" if block else f"{letter}{number}"


def usable(state: State) -> list[Evidence]:
    """Returns the evidence that is not suspicious: only this may decide something."""
    return [evidence for evidence in state.get("evidence", []) if not evidence.suspicious]


def kept_for(state: State, query_id: str) -> list[Evidence]:
    """Returns the evidence that is not suspicious and that a query kept, or that another query kept too."""
    kept = state.get("kept", {}).get(query_id)
    return [it for it in usable(state) if (it.query_id == query_id if kept is None else it.id in kept)]


class Branch(TypedDict):
    """The input of the node retrieve: the query to search for."""

    query: Query


class SectionBranch(Branch, State):
    """The input of the node write_section: the state of the run, with the query of its section."""
