"""Models, searches and rerankers that answer from a trace, and the recorder of what a replay does."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast

from rarr import errors
from rarr.components import Reranker
from rarr.errors import RarrError, RetrievalError
from rarr.ledger.excerpts import is_given
from rarr.prompts import Prompt
from rarr.records import Evidence, Passage, Revision
from rarr.state import State
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import TraceSpan
from rarr.traces.record_references import Packer
from rarr.traces.recorded_answers import RecordedAnswers, answer_of
from rarr.traces.recorder import Numbering, recorded_body
from rarr.traces.trace_file import RunFacts, StoredSpan, TraceFile, prompt_fields
from rarr.traces.trace_reader import Trace

_Place = tuple[str, int, int, str]


class RecordedChat:
    """A model that answers or fails as it did in the run.

    `make` makes the model for new questions; without it, they fail. Each answer to a new question adds its
    error to `outcomes`, "" for none.
    """

    def __init__(
        self,
        name: str,
        answers: RecordedAnswers,
        outcomes: list[str],
        make: Callable[[], ChatModel] | None = None,
    ) -> None:
        self.name = name
        self._answers, self._outcomes, self._make = answers, outcomes, make
        self._live: ChatModel | None = None

    def open(self) -> None:
        """Makes the model for new questions. Raises `SettingsError` or `SetupError` if it cannot be used."""
        if self._live is None and self._make is not None:
            self._live = self._make()

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the recorded answer or raises the recorded failure; asks the model about a new question."""
        if (span := self._answers.take(self.name, ask)) is not None:
            return answer_of(span)
        self.open()
        if self._live is None:
            raise CallFailure(
                "refused", f"{self.name} did not get this question in the recorded run: name a model"
            )
        try:
            answer = await self._live.complete(ask)
        except CallFailure as failure:
            self._outcomes.append(str(failure))
            raise
        self._outcomes.append("")
        return answer

    async def aclose(self) -> None:
        if self._live is not None:
            await self._live.aclose()


class RecordedSearch:
    """A retriever and reranker that return a query's passages and scores from the run.

    A trace has only the passages that became evidence: the same settings choose the same passages. `local` is
    the reranker of the run, if it needs no server: it scores again what a killed run did not save.
    """

    offline = True

    def __init__(self, trace: Trace) -> None:
        state = trace.state()
        self.local: Reranker | None = None
        self.given = tuple(_passage(it) for name, it in trace.found.items() if is_given(name))
        """The passages that the caller gave, and that were shown in each request."""
        self.searches = any(query.searched for query in state.get("queries", []))
        self._trace = trace
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
        pairs = [(query, query_id) for query, ids in self._ids.items() for query_id in ids]
        self._relevance = {
            (query, *_place(evidence)): evidence.relevance
            for query, query_id in pairs
            for evidence in self._evidence[query_id]
        }
        self._other_relevance = {
            (query, *place): relevance
            for query, query_id in pairs
            for place, relevance in trace.relevances.get(query_id, {}).items()
        }
        self._places = {_place(evidence) for evidence in trace.found.values()}
        self._spans: dict[tuple[str, str], list[StoredSpan]] = defaultdict(list)
        for span in trace.spans:
            if (span.kind, span.name) == ("node", "retrieve") or span.kind == "score":
                self._spans[span.name, span.about].append(span)
        self._reranked: set[str] = set()

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the recorded passages of `query` (not `k`), or raises the recorded error.

        A query that the run did not have raises `RetrievalError`.
        """
        ids = self._ids.get(query)
        if not ids:
            raise _missing(query)
        query_id = ids.pop(0) if len(ids) > 1 else ids[0]
        self._repeat(self._spans["retrieve", query_id][-1:])
        return [_passage(evidence) for evidence in self._evidence[query_id]]

    def kept_triples(self) -> State:
        """Returns what the run found in its graph, or raises its error."""
        found = [it for it in self._trace.spans if (it.kind, it.name) == ("node", "find_triples")]
        self._repeat(found[:1])
        state = self._trace.state()
        kept = {key: value for key, value in state.items() if key in ("queries", "triples", "subjects")}
        return cast(State, kept)

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the recorded scores, or raises the recorded error.

        Recorded passages without a score are scored by `local`. Other passages, and new queries, raise
        `RetrievalError`.
        """
        pairs = [(query, *_place(passage)) for passage in passages]
        # A passage that gave way to a wider one can be scored again, for the report.
        is_again = query in self._reranked and all(pair in self._other_relevance for pair in pairs)
        if query in self._ids and all(pair in self._relevance for pair in pairs) and not is_again:
            self._reranked.add(query)
            for query_id in self._ids[query]:
                self._repeat(self._spans["rerank", query_id][-1:])
            return [self._relevance[pair] for pair in pairs]
        for query_id in self._ids.get(query, []):  # passages of other queries
            spans = self._spans["coverage", query_id]
            self._repeat([spans.pop(0)] if spans else [])
        if all(pair in self._other_relevance for pair in pairs):
            return [self._other_relevance[pair] for pair in pairs]
        is_recorded = query in self._ids and all(_place(passage) in self._places for passage in passages)
        if is_recorded and self.local is not None:
            return await self.local.score(query, passages)
        raise _missing(query)

    def _repeat(self, spans: Sequence[StoredSpan]) -> None:
        """Repeats the warnings of a span and of the spans inside it, then raises its error if it failed."""
        for span in spans:
            for inner in [span, *self._trace.within(span)]:
                for code, message in inner.body.get("warnings", []):
                    meter().warn(code, message)
            if span.error:
                raise _error(span.error)


def _missing(query: str) -> RetrievalError:
    return RetrievalError(
        f"the recorded run did not search for {query!r} or its passages: revise the text again"
    )


def _error(line: str) -> RarrError:
    """Makes the error of a line such as `ModelError: message`; `RetrievalError` for an unknown name."""
    name, _, message = line.partition(": ")
    kind = getattr(errors, name, None)
    return kind(message) if isinstance(kind, type) and issubclass(kind, RarrError) else RetrievalError(line)


def _passage(evidence: Evidence) -> Passage:
    return Passage(**{name: getattr(evidence, name) for name in Passage.model_fields})


def _place(passage: Passage) -> _Place:
    return passage.source, passage.start, passage.end, passage.text


class MemoryRecorder(Numbering):
    """The `Recorder` of a replay: it collects spans and prompts, and writes no file."""

    def __init__(self) -> None:
        super().__init__()
        self._started = self.now()
        self._spans: list[StoredSpan] = []
        self._prompts: dict[str, dict[str, Any]] = {}
        self._packer = Packer()

    def begin(self, span: TraceSpan) -> None:
        pass

    def end(self, span: TraceSpan) -> None:
        body, records = (json.loads(packed) for packed in self._packer.pack(recorded_body(span.body)))
        plain = {
            name: getattr(span, name) for name in StoredSpan.model_fields if name not in ("records", "body")
        }
        self._spans.append(StoredSpan(**plain, records=records, body=body))

    def keep(self, prompt: Prompt) -> None:
        self._prompts[prompt.hash] = prompt_fields(prompt)

    async def saved(self) -> None:
        pass

    def trace(self, run_id: str, facts: RunFacts, revision: Revision | None) -> Trace:
        """Builds the trace of all that was recorded so far."""
        packed, records = (json.loads(part) for part in self._packer.pack(revision and dict(revision)))
        file = TraceFile(
            run_id=run_id,
            started=self._started,
            seconds=self.now() - self._started,
            error="",
            facts=facts,
            spans=sorted(self._spans, key=lambda span: span.number),
            prompts=self._prompts,
            records=records,
            revision=packed,
        )
        return Trace(file)
