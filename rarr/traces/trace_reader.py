"""Reads the trace of a run: its spans (records of steps), state changes, usage, and answers of models."""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter

from rarr.errors import InputError, RarrError
from rarr.prompts import Prompt
from rarr.records import Notice, Revision
from rarr.records.base import NodeUsage
from rarr.state import State
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Tokens
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import RunStatus, StoredSpan, TraceFile

_UPDATE: TypeAdapter[State] = TypeAdapter(State)


class Trace:
    """The record of one run. `load` reads a run of this machine; `read` reads an exported file."""

    def __init__(self, file: TraceFile) -> None:
        self.file = file

    @classmethod
    def load(cls, run_id: str, home: str | Path | None = None) -> Self:
        """Loads a run from the data folder `home`. `run_id` is the id, its beginning, or "last" (newest run).

        Raises `InputError` if no run or several runs match, or if the trace is damaged.
        """
        name = (store := TraceStore(home)).full_run_id(run_id)
        cure = f"rarr trace prune {name} removes it"
        return cls._checked_trace(store.read_trace(name), f"the trace of {name!r}", cure)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Reads an exported file. Drops the addresses of models. Raises `InputError` for a damaged file."""
        file = TraceFile.read(Path(str(path))).without_addresses()
        return cls._checked_trace(file, repr(str(path)), "export the trace once more")

    @classmethod
    def _checked_trace(cls, file: TraceFile, name: str, cure: str) -> Self:
        """Makes the trace. Reads all parts once, so that later reads cannot fail. Raises `InputError`."""
        trace = cls(file)
        try:
            file.require_valid_spans()
            trace.calls_by_block()
            trace.results()
            for span in file.spans:
                trace.body(span)
            if trace.revision is not None and trace.revision.run_id != file.run_id:
                raise InputError("its revision belongs to another run")
        except (ValueError, TypeError, LookupError, RarrError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"{name} is damaged, or of another version of rarr ({reason}): {cure}") from None
        return trace

    def text(self) -> str:
        """Returns the trace as JSON lines, without the addresses of models."""
        return self.file.without_addresses().text()

    @property
    def run_id(self) -> str:
        """Returns the id of the run."""
        return self.file.run_id

    @property
    def status(self) -> RunStatus:
        """Returns the status of the run: `done`, `failed` or `unfinished`."""
        return self.file.status

    @property
    def seconds(self) -> float:
        """Returns the duration of the run in seconds. An unfinished run ends with its last recorded step."""
        times = [self.file.started, *(span.end_time for span in self.spans)]
        return max(times) - self.file.started if self.file.seconds is None else self.file.seconds

    @cached_property
    def revision(self) -> Revision | None:
        """Returns the revision that the run returned; None if the run did not return a revision."""
        fields = self.file.revision
        return None if fields is None else Revision.model_validate(fields)

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        """Returns the prompts that the run sent to models, by the hash of each prompt."""
        return {name: Prompt(**dict(fields), hash=name) for name, fields in self.file.prompts.items()}

    @property
    def spans(self) -> list[StoredSpan]:
        """Returns all spans, in the order in which the steps started."""
        return self.file.spans

    @cached_property
    def inner(self) -> Mapping[int, list[StoredSpan]]:
        """Maps the number of an outer span to the spans directly inside. 0 stands for no outer span."""
        inner: dict[int, list[StoredSpan]] = defaultdict(list)
        for span in self.spans:
            inner[span.parent].append(span)
        return inner

    def body(self, span: StoredSpan) -> dict[str, Any]:
        """Returns the body of a span. For a search, the body has the number of passages of each document."""
        if not (fields := span.body.get("update")):
            return span.body
        update = dict(self.update(span))
        if "passages" in fields:
            update["passages"] = fields["passages"]
        return {**span.body, "update": update}

    def inner_spans(self, span: StoredSpan, *kinds: str) -> Iterator[StoredSpan]:
        """Yields the spans inside `span`, at any depth, in order. `kinds` (default: all) selects spans."""
        outer = {span.number}
        for inner in self.spans[bisect_right(self.spans, span.number, key=lambda each: each.number) :]:
            if inner.parent in outer:
                outer.add(inner.number)
                if not kinds or inner.kind in kinds:
                    yield inner

    def results(self) -> State:
        """Returns the last recorded state of the run. For a text in blocks, returns the first state."""
        results, warnings = self.start(), list[Notice]()
        for update in () if self.blocks else self.updates:
            warnings += update.get("warnings", [])
            results = {**results, **update}
        return {**results, "warnings": [*self.start()["warnings"], *warnings]}

    @cached_property
    def updates(self) -> list[State]:
        """Returns what each call of a node changed in the state, in the order of `calls`."""
        return [self.update(call) for call in self.calls if "update" in call.body]

    def start(self) -> State:
        """Returns the first state of the run."""
        facts = self.file.facts
        return State(
            original=facts.original,
            text=facts.original,
            context=facts.context,
            round=1,
            warnings=[Notice.model_validate(notice) for notice in facts.warnings],
        )

    @cached_property
    def blocks(self) -> Mapping[str, list[StoredSpan]]:
        """Maps the name of each block (part of a long text) to its spans: several if the run was resumed."""
        spans: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in self.inner[0]:
            if span.kind == "block":
                spans[span.name].append(span)
        return spans

    @cached_property
    def calls(self) -> list[StoredSpan]:
        """Returns the spans of all node calls and node failures, sorted by block, then by time."""
        return [call for calls in self.calls_by_block().values() for call in calls]

    def calls_by_block(self) -> dict[int, list[StoredSpan]]:
        """Maps the number of each block to the `calls` in the block. 0 has the calls outside all blocks."""
        calls = {0: [span for span in self.inner[0] if span.kind != "block"]}
        for name, spans in self.blocks.items():
            calls[int(name.split()[-1])] = [call for span in spans for call in self.inner[span.number]]
        return calls

    def update(self, span: StoredSpan) -> State:
        """Returns what one call of a node changed in the state, without the passages of a search."""
        fields = span.body["update"] or {}
        return _UPDATE.validate_python({name: fields[name] for name in fields if name != "passages"})

    def spending(self) -> dict[str, NodeUsage]:
        """Returns the usage by the name of each node. Leaves out requests that the run did not finish."""
        spent: dict[str, NodeUsage] = {}
        for node in (span for span in self.spans if span.kind == "node"):
            used = spent.get(node.name, NodeUsage()) + NodeUsage(calls=1, seconds=node.seconds or 0.0)
            for span in self.inner_spans(node, "ask", "request"):
                if span.kind == "ask" and span.body.get("saved"):
                    used += NodeUsage(saved_calls=1)
                if span.kind == "request" and "samples" in span.body:
                    names = ("input_tokens", "output_tokens", "cached_tokens")
                    tokens = dict(zip(names, span.body["tokens"], strict=True))
                    used += NodeUsage(model_calls=1, **tokens, cost=span.body["cost"])
            spent[node.name] = used
        return spent


class RecordedAnswers:
    """The recorded answers of all models of a run, in order. Another run can use them without requests."""

    def __init__(self, trace: Trace, *, failures: bool = False) -> None:
        """If `failures` is true, `next_answer` repeats recorded failures too: it raises `CallFailure`."""
        asks = {span.number: span.body for span in trace.spans if span.kind == "ask"}
        self._answers: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in trace.spans:
            body, question = span.body, asks.get(span.parent)
            if span.kind == "ask" and body.get("saved"):
                self._answers[json.dumps([body["saved"], body["prompt"], body["user"], [], 1])].append(span)
            if span.kind == "request" and question and "samples" in body and (failures or body.get("texts")):
                more = body.get("more", [])
                key = json.dumps([span.name, question["prompt"], question["user"], more, body["samples"]])
                self._answers[key].append(span)

    def next_answer(self, model: str, ask: ChatRequest) -> Answer | None:
        """Returns the next recorded answer of `model` to `ask`. Repeats the last answer if none is left.

        Returns None if the run never sent this request. Raises `CallFailure` if a failure was recorded.
        """
        more = [list(message) for message in ask.messages[2:]]
        key = json.dumps([model, ask.prompt_hash, ask.messages[1].content, more, ask.samples])
        spans = self._answers[key]
        return None if not spans else _answer_of_span(spans.pop(0) if len(spans) > 1 else spans[0])


def _answer_of_span(span: StoredSpan) -> Answer:
    body = span.body
    if span.kind == "ask":  # with 0 tokens, a run would warn
        return Answer(tuple(body["answers"]), Tokens(1, 1))
    if "failure" in body:
        raise CallFailure(
            body["failure"],
            span.error.partition(": ")[2],
            body.get("retry_after"),
            status=body.get("status"),
            said=body.get("answer", ""),
            tokens=Tokens(*body["said"]),
        )
    if not body["texts"]:
        raise CallFailure("connection", f"{span.name} had not answered when the recorded run ended")
    tokens, is_cut = Tokens(*body["said"]), body.get("cut", False)
    return Answer(tuple(body["texts"]), tokens, is_cut, body.get("served", ""))
