"""What the world outside said in a run, said again: models, searches and rerankers out of a trace."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from rarr import errors
from rarr.agent.replay.live_components import Live
from rarr.components import Components
from rarr.errors import RarrError, RetrievalError
from rarr.records import Evidence, Passage
from rarr.tools.concurrency.worker import in_thread
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest
from rarr.tools.models.meter import meter
from rarr.traces.file import StoredSpan
from rarr.traces.recorded_answers import RecordedAnswers, answer_of
from rarr.traces.trace import Trace

Make = Callable[[], ChatModel]
_Place = tuple[str, int, int, str]


class RecordedChat:
    """A model that says what it said in the run, or fails as it did. What is new to it, `live` is asked."""

    def __init__(self, name: str, answers: RecordedAnswers, live: Make | None = None) -> None:
        self.name = name
        self._answers, self._make = answers, live
        self._live: ChatModel | None = None

    async def complete(self, ask: ChatRequest) -> Answer:
        """Raises what it raised; `CallFailure` where it was not asked this, and there is no other."""
        if (span := self._answers.take(self.name, ask)) is not None:
            return answer_of(span)
        if self._live is None and self._make is not None:
            self._live = self._make()
        if self._live is None:
            raise CallFailure("refused", f"{self.name} was not asked this in the recorded run: name a model")
        return await self._live.complete(ask)

    async def aclose(self) -> None:
        if self._live is not None:
            await self._live.aclose()


class RecordedSearch:
    """Finds for a query what it found in the run, and scores it as it was scored: retriever and reranker.

    Of what was found, a trace keeps what became evidence: with the same settings the same is chosen.
    """

    offline = True

    def __init__(self, trace: Trace, live: Live | None = None) -> None:
        """`live` searches for queries that the run did not have; None: they fail."""
        state = trace.state()
        self._ids: dict[str, list[str]] = defaultdict(list)
        for query in state.get("queries", []):
            if not query.follows:
                self._ids[query.text].append(query.id)
        self._found: dict[str, list[Evidence]] = defaultdict(list)
        for one in state.get("evidence", []):
            self._found[one.query_id].append(one)
        self._relevance = {
            (query, *_place(one)): one.relevance
            for query, ids in self._ids.items()
            for query_id in ids
            for one in self._found[query_id]
        }
        self._searches = {
            span.about: span for span in trace.spans if (span.kind, span.name) == ("node", "retrieve")
        }
        self._scores = {span.about: span for span in trace.spans if span.kind == "score"}
        self._trace, self._live = trace, live

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Raises what the search raised."""
        ids = self._ids.get(query)
        if not ids:
            live = await self._opened(query)
            found: Sequence[Passage] = await live.retriever.retrieve(query, k)
            return found
        query_id = ids.pop(0) if len(ids) > 1 else ids[0]
        self._say_again(self._searches.get(query_id))
        return [_passage(one) for one in self._found[query_id]]

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Raises what the reranker raised."""
        if query not in self._ids:
            live = await self._opened(query)
            scores: Sequence[float] = await live.reranker.score(query, passages)
            return scores
        for query_id in self._ids[query]:
            self._say_again(self._scores.get(query_id))
        return [self._relevance[query, *_place(one)] for one in passages]

    async def _opened(self, query: str) -> Components:
        live = self._live
        if live is None:
            raise RetrievalError(f"{query!r} was not searched for in the recorded run")
        return await in_thread(lambda: live.components)  # it may index a corpus

    def _say_again(self, span: StoredSpan | None) -> None:
        """Its warnings, and what it raised."""
        for one in [span, *self._trace.within(span)] if span else []:
            for code, message in one.body.get("warnings", []):
                meter().warn(code, message)
        if span is not None and span.error:
            raise _error(span.error)


def _error(told: str) -> RarrError:
    """What was raised, as the user is told of it."""
    name, _, message = told.partition(": ")
    kind = getattr(errors, name, None)
    return kind(message) if isinstance(kind, type) and issubclass(kind, RarrError) else RetrievalError(told)


def _passage(one: Evidence) -> Passage:
    return Passage(**{name: getattr(one, name) for name in Passage.model_fields})


def _place(one: Passage) -> _Place:
    return one.source, one.start, one.end, one.text
