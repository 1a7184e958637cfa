"""Models, searches and rerankers that answer from a trace."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import cast

from rarr import errors
from rarr.agent.replay.live_components import LiveComponents
from rarr.components import Components, Reranker
from rarr.errors import RarrError, RetrievalError
from rarr.ledger.excerpts import is_given
from rarr.records import Evidence, Passage
from rarr.state import State
from rarr.tools.concurrency import in_thread
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest
from rarr.tools.models.run_budget import meter
from rarr.traces.recorded_answers import RecordedAnswers, answer_of
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace

Make = Callable[[], ChatModel]
_Place = tuple[str, int, int, str]


class RecordedChat:
    """A model that answers or fails as it did in the run. `live` makes the model for new questions."""

    def __init__(self, name: str, answers: RecordedAnswers, live: Make | None = None) -> None:
        self.name = name
        self._answers, self._make = answers, live
        self._live: ChatModel | None = None

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the recorded answer or raises the recorded failure; asks `live` about a new question.

        Raises `CallFailure` for a new question without `live`.
        """
        if (span := self._answers.take(self.name, ask)) is not None:
            return answer_of(span)
        if self._live is None and self._make is not None:
            self._live = self._make()
        if self._live is None:
            raise CallFailure(
                "refused", f"{self.name} did not get this question in the recorded run: name a model"
            )
        return await self._live.complete(ask)

    async def aclose(self) -> None:
        if self._live is not None:
            await self._live.aclose()


_OF_GRAPH = ("queries", "triples", "subjects")

LOCAL = ("overlap", "embedded")
"""The rerankers that need no server and no download."""


class RecordedSearch:
    """A retriever and reranker that return a query's passages and scores from the run.

    A trace has only the passages that became evidence: the same settings choose the same passages.
    """

    offline = True

    def __init__(self, trace: Trace, live: LiveComponents | None = None) -> None:
        """`live` searches for queries that the run did not have; None: they fail."""
        state = trace.state()
        self._ids: dict[str, list[str]] = defaultdict(list)
        for query in state.get("queries", []):
            self._ids[query.text].append(query.id)
        self._evidence: dict[str, list[Evidence]] = defaultdict(list)
        kept = state.get("kept", {})
        for evidence in trace.found.values():
            if evidence.query_id not in kept:
                self._evidence[evidence.query_id].append(evidence)
        for query_id, ids in kept.items():
            self._evidence[query_id] = [trace.found[name] for name in ids if name in trace.found]
        self.given = tuple(_passage(it) for name, it in trace.found.items() if is_given(name))
        """The passages that the caller gave, and that were shown in each request."""
        self.searches = any(query.searched for query in state.get("queries", []))
        self._relevance = {
            (query, *_place(evidence)): evidence.relevance
            for query, ids in self._ids.items()
            for query_id in ids
            for evidence in self._evidence[query_id]
        }
        self._other_relevance = {
            (query, *place): relevance
            for query, ids in self._ids.items()
            for query_id in ids
            for place, relevance in trace.relevances.get(query_id, {}).items()
        }
        self._searches = {
            span.about: span for span in trace.spans if (span.kind, span.name) == ("node", "retrieve")
        }
        scores = [span for span in trace.spans if span.kind == "score"]
        self._scores = {span.about: span for span in scores if span.name == "rerank"}
        self._coverages: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in scores:
            if span.name == "coverage":
                self._coverages[span.about].append(span)
        self._places = {_place(evidence) for evidence in trace.found.values()}
        self._reranked: set[str] = set()
        self._trace, self._live = trace, live
        self.local: Reranker | None = None
        """The reranker of the run, if it needs no server: it scores again what a killed run did not save."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the recorded passages of `query` (not `k`), or raises the recorded error.

        A query that the run did not have is searched with `live`; without it, raises `RetrievalError`.
        """
        ids = self._ids.get(query)
        if not ids:
            live = await self._opened(query)
            passages: Sequence[Passage] = await live.retriever.retrieve(query, k)
            return passages
        query_id = ids.pop(0) if len(ids) > 1 else ids[0]
        self._repeat(self._searches.get(query_id))
        return [_passage(evidence) for evidence in self._evidence[query_id]]

    def kept_triples(self) -> State:
        """Returns what the run found in its graph, or raises its error."""
        spans = (span for span in self._trace.spans if (span.kind, span.name) == ("node", "find_triples"))
        self._repeat(next(spans, None))
        state = self._trace.state()
        kept = {key: state[key] for key in _OF_GRAPH if key in state}  # type: ignore[literal-required]
        return cast(State, kept)

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the recorded scores, or raises the recorded error.

        Recorded passages without a score are scored by `local`, the run's reranker if it needs no server.
        Other passages, and new queries, are scored by `live`.
        """
        pairs = [(query, *_place(passage)) for passage in passages]
        # A passage that gave way to a wider one can be scored again, for the report.
        is_again = query in self._reranked and all(pair in self._other_relevance for pair in pairs)
        if query in self._ids and all(pair in self._relevance for pair in pairs) and not is_again:
            self._reranked.add(query)
            for query_id in self._ids[query]:
                self._repeat(self._scores.get(query_id))
            return [self._relevance[pair] for pair in pairs]
        for query_id in self._ids.get(query, []):  # passages of other queries
            if spans := self._coverages[query_id]:
                self._repeat(spans.pop(0))
        if all(pair in self._other_relevance for pair in pairs):
            return [self._other_relevance[pair] for pair in pairs]
        is_recorded = query in self._ids and all(_place(passage) in self._places for passage in passages)
        if is_recorded and self.local is not None:
            return await self.local.score(query, passages)
        live = await self._opened(query)
        scores: Sequence[float] = await live.reranker.score(query, passages)
        return scores

    async def _opened(self, query: str) -> Components:
        live = self._live
        if live is None:
            raise RetrievalError(
                f"the recorded run did not search for {query!r} or its passages: name what to search"
            )
        return await in_thread(lambda: live.components)  # it may index a corpus

    def _repeat(self, span: StoredSpan | None) -> None:
        """Repeats the warnings of a span and of the spans inside it, then raises its error if it failed."""
        for inner in [span, *self._trace.within(span)] if span else []:
            for code, message in inner.body.get("warnings", []):
                meter().warn(code, message)
        if span is not None and span.error:
            raise _error(span.error)


def _error(line: str) -> RarrError:
    """Makes the error of a line such as `ModelError: message`; `RetrievalError` for an unknown name."""
    name, _, message = line.partition(": ")
    kind = getattr(errors, name, None)
    return kind(message) if isinstance(kind, type) and issubclass(kind, RarrError) else RetrievalError(line)


def _passage(evidence: Evidence) -> Passage:
    return Passage(**{name: getattr(evidence, name) for name in Passage.model_fields})


def _place(passage: Passage) -> _Place:
    return passage.source, passage.start, passage.end, passage.text
