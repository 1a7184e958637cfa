"""Declares the state that the nodes of a graph read and update. A node returns only the keys it changed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from operator import add, or_
from typing import Annotated, Literal, NamedTuple, TypeVar

from typing_extensions import TypedDict  # pydantic cannot read traces with the TypedDict of typing

from rarr.errors import BudgetError, RarrError
from rarr.records import Check, Edit, Evidence, Notice, Passage, Query, Report, Scores
from rarr.records.base import Controls
from rarr.records.cards_and_edits import Card
from rarr.records.citations import AnswerSource, CitedStatement, OutlineSection
from rarr.tools.concurrency import together
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import span

Result = TypeVar("Result")


def failure_notice(
    node: str, problem: str, error: BaseException, *, code: str = "", query_id: str | None = None
) -> Notice:
    """Makes the warning about a failure that did not end the run: `problem`, then the message of the error.

    The code of the warning is `code`, or else NODE_failed. For a `BudgetError`, it is `budget_exhausted`.
    """
    if isinstance(error, BudgetError):
        problem = "the budget is spent, and what was left to ask is left out"
        code, query_id = "budget_exhausted", None
    reason = str(error) if isinstance(error, RarrError) else f"{type(error).__name__}: {error}"
    return Notice(code=code or f"{node}_failed", message=f"{problem}: {reason}", node=node, query_id=query_id)


Unsearched = Literal["failed", "cut"]
"""Why a query has no evidence: `failed`: its search failed; `cut`: a limit of the run left it out."""


async def for_each_query(
    node: str, queries: Sequence[Query], compute: Callable[[Query], Awaitable[Result]]
) -> dict[str, Result | Exception]:
    """Returns by query id the result of `compute` for each query, or the error that `compute` raised.

    `compute` runs for all queries in parallel, until the deadline. The trace gets a span for each query.
    """

    async def computed(query: Query) -> Result | Exception:
        try:
            with span("query", node, query.id):
                async with meter().in_time():
                    return await compute(query)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return RarrError("it was cancelled")  # the component cancelled it, not the run
        except Exception as error:
            return error

    outcomes = await together(*map(computed, queries))
    return {query.id: outcome for query, outcome in zip(queries, outcomes, strict=True)}


def failed_queries_update(node: str, outcomes: Mapping[str, object]) -> "State":
    """Makes a state update. Each query with an error gets a warning, and `unsearched` gets the reason."""
    notices, unsearched = list[Notice](), dict[str, Unsearched]()
    for name, error in outcomes.items():
        if isinstance(error, Exception):
            notices.append(failure_notice(node, f"{node} failed", error, query_id=name))
            unsearched[name] = "cut" if isinstance(error, BudgetError) else "failed"
    return {"warnings": notices, "unsearched": unsearched}


class SentenceSupport(NamedTuple):
    """The support of a sentence by each evidence that was judged."""

    span: Span  # the place of the sentence
    by_evidence: dict[str, float | None]  # the support by evidence id; None if it could not be judged
    query_ids: tuple[str, ...] = ()  # the queries about the sentence
    searched: bool = False  # True if there are queries, and no search for a query failed


Attributed = tuple[list[float | None], list[float | None]]
"""The support of each sentence before the edits, and after the edits; None if it was not judged."""


class State(TypedDict, total=False):
    """The state of a run, which the nodes read and update. Places are in `text` if no comment says otherwise.

    A run that writes an article begins with the topic as `original`, and the outline as `context`. Before the
    first node, they move to `topic` and `outline`. In a run that answers, `original` is the question.
    """

    original: str  # the text of the caller; after the node assemble, the article without marks
    text: str  # the current text: the original with the accepted edits so far, or the answer of a model
    context: str | None  # the question or conversation that the text answers
    queries: list[Query]  # the places of queries are in `original`
    unsearched: Annotated[dict[str, Unsearched], or_]  # why a query was not searched, by query id
    passages: Annotated[dict[str, list[Passage]], or_]  # the retrieved passages by query id
    evidence: list[Evidence]
    kept: dict[str, list[str]]  # the ids of the evidence that each query kept, by query id
    cards: list[Card]  # the answers of the card reader, one for each sentence
    attributed: Attributed  # the support of sentences, from which the scores are computed
    controls: Annotated[list[Controls], add]  # counts of the planted sentences of each request
    checks: list[Check]
    edits: list[Edit]
    round: int  # the number of the round of research, from 1
    lacking: list[Span]  # the sentences for another round
    reached: tuple[int, int]  # the numbers of supported sentences and of accepted edits before this round
    report: Report
    scores: Scores
    relevances: dict[str, dict[str, float]]  # by query id and evidence id: of passages of other queries
    supports: list[SentenceSupport]  # the supports of the sentences of `text`, if a judge is asked
    block: int  # the number of the block of a long text that this run revises
    lead: int  # the characters at the start of a block's text that are shown, but not checked
    topic: str  # the topic of an article
    outline: str | None  # the headings of an article, one in each line
    sections: list[OutlineSection]  # the plan of an article
    drafts: dict[str, str]  # the written sections by section id
    sources: list[AnswerSource]  # the sources of an answer: triples of the graph, then passages
    written: list[CitedStatement]  # the statements of a model, from which `text` is made
    warnings: Annotated[list[Notice], add]
    told: Annotated[list[Notice], add]  # warnings of components that did not stop a node


def numbered_id(state: State, letter: str, number: int) -> str:
    """Makes the id of a query or edit, such as q3. In block 2 of a long text, the id is q2-3."""
    block = state.get("block", 0)
    return f"{letter}{block}-{number}" if block else f"{letter}{number}"


def usable_evidence(state: State) -> list[Evidence]:
    """Returns the evidence without suspicious passages. Such a passage must not decide anything."""
    return [evidence for evidence in state.get("evidence", []) if not evidence.suspicious]


def kept_evidence(state: State, query_id: str) -> list[Evidence]:
    """Returns the evidence that was selected for the query, without suspicious passages."""
    ids = state.get("kept", {}).get(query_id)
    return [it for it in usable_evidence(state) if (it.query_id == query_id if ids is None else it.id in ids)]
