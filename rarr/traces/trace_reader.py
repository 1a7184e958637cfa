"""Reads a recorded run, and rebuilds its states, evidence and revision from the spans of its nodes."""

import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast, get_args, get_type_hints

from pydantic import TypeAdapter

from rarr.errors import InputError, RarrError
from rarr.ledger.block_joining import BlockOutcome, block_state, join_blocks
from rarr.prompts import Prompt
from rarr.records import Notice, Revision
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.long_text_blocks import TextBlock
from rarr.traces.record_references import Unpacker
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import Status, StoredSpan, TraceFile, prompt_of

_UPDATE: TypeAdapter[State] = TypeAdapter(State)
_REDUCERS = {
    name: get_args(hint)[1]
    for name, hint in get_type_hints(State, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}


class Trace:
    """One run. `load` reads it from the data folder, `read` from a file that `rarr trace export` wrote."""

    def __init__(self, file: TraceFile) -> None:
        """Reads the records in `file`. Raises `InputError` for a record of another kind or shape."""
        self.file = file
        self._unpacker = Unpacker()
        for span in file.spans:
            self._unpacker.learn(span.records)
        self._unpacker.learn(file.records)

    @classmethod
    def load(cls, run_id: str, home: Path | None = None) -> Self:
        """Loads a run: that of the name `run_id`, the newest for `last`, or the only name that begins so.

        Raises `InputError` where there is no such run, or it is damaged.
        """
        with open_store(home) as store:
            name = store.resolve(run_id)
            file = store.read(name)
        return cls._whole(file, f"the trace of {name!r}", f"rarr trace prune {name} removes it")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Reads a file. Raises `InputError` for a file that is no trace or is damaged."""
        return cls._whole(TraceFile.read(Path(path)), repr(str(path)), "export the trace once more")

    @classmethod
    def _whole(cls, file: TraceFile, name: str, cure: str) -> Self:
        try:
            trace = cls(file)
            trace._require_whole()
        except (ValueError, TypeError, LookupError, RarrError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"{name} is damaged, or of another version of rarr ({reason}): {cure}") from None
        return trace

    def write(self, path: str | Path) -> None:
        """Writes a file like `rarr trace export`. Raises `InputError` where it cannot be written."""
        self.file.write(Path(path))

    @property
    def run_id(self) -> str:
        """Returns the name of the run."""
        return self.file.run_id

    @property
    def status(self) -> Status:
        """Returns done, failed, running or cut short."""
        return self.file.status

    @property
    def seconds(self) -> float:
        """Returns the seconds that the run took; for an unfinished run, until its last recorded event."""
        times = [self.file.started, *(span.ended for span in self.spans)]
        return max(times) - self.file.started if self.file.seconds is None else self.file.seconds

    @cached_property
    def revision(self) -> Revision | None:
        """Unpacks the revision that the run returned; None if it returned none."""
        packed = self.file.revision
        return None if packed is None else Revision.model_validate(self._unpacker.unpack(packed))

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        """Returns the prompts of questions to models, by their hashes."""
        return {name: prompt_of(name, fields) for name, fields in self.file.prompts.items()}

    @property
    def spans(self) -> list[StoredSpan]:
        """Returns all spans, in the order in which they began."""
        return self.file.spans

    @cached_property
    def inner(self) -> Mapping[int, list[StoredSpan]]:
        """Groups spans by the number of the span around them, 0 for the outermost, in order of begin."""
        inner: dict[int, list[StoredSpan]] = defaultdict(list)
        for span in self.spans:
            inner[span.parent].append(span)
        return inner

    def body(self, span: StoredSpan) -> dict[str, Any]:
        """Unpacks the body of a span. The body of a search holds counts by document instead of passages."""
        return cast(dict[str, Any], self._unpacker.unpack(span.body))

    def within(self, span: StoredSpan, *kinds: str) -> Iterator[StoredSpan]:
        """Yields the spans of these kinds (none: all kinds) within this span, at any depth, in order."""
        outer = {span.number}
        for inner in self.spans[bisect_right(self.spans, span.number, key=lambda each: each.number) :]:
            if inner.parent in outer:
                outer.add(inner.number)
                if not kinds or inner.kind in kinds:
                    yield inner

    def rendered(self, ask: StoredSpan) -> str:
        """Joins the prompt of a question as the model got it: the instructions, then the user message."""
        return f"{self.prompts[ask.body['prompt']].system}\n\n{ask.body['user']}"

    def state(self, before: StoredSpan | None = None) -> State:
        """Rebuilds the state of the run before a call of a node; without `before`, the last state.

        The state holds only passages that became evidence. For a call in a block of a long text, it is the
        state of that block.
        """
        if not self.blocks:
            return self._after(self.start(), self._updates(self.inner[0], before))
        if before is not None:
            [name] = [
                name for name, spans in self.blocks.items() if before.parent in {s.number for s in spans}
            ]
            return self._block(name, before)
        outcomes = [BlockOutcome(self._text_block(name), self._block(name)) for name in self.blocks]
        size = self.file.facts.settings.get("report_size", Settings.model_fields["report_size"].default)
        return join_blocks(self.start(), sorted(outcomes, key=lambda outcome: outcome.block.number), size)

    @cached_property
    def updates(self) -> list[State]:
        """Returns what the calls of nodes changed in the state, block by block."""
        return [self.update(call) for call in self.calls if "update" in call.body]

    def start(self) -> State:
        """Builds the state with which the run began."""
        facts = self.file.facts
        return State(
            original=facts.original,
            text=facts.original,
            context=facts.context,
            round=1,
            warnings=[Notice.model_validate(notice) for notice in facts.warnings],
        )

    def _require_whole(self) -> None:
        """Reads everything in the file once, and raises if anything is wrong, so that later reads succeed."""
        self.file.require_whole()
        if self.blocks and any(span.kind != "block" for span in self.inner[0]):
            raise ValueError("a call is outside of all blocks")
        self.state()
        for span in self.spans:
            self.body(span)
        if self.revision is not None and self.revision.run_id != self.run_id:
            raise InputError("its revision is of another run")

    @cached_property
    def blocks(self) -> Mapping[str, list[StoredSpan]]:
        """Groups the spans of each block of a long text by name; empty if the text was not cut into blocks.

        A block has several spans if the run was resumed.
        """
        spans: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in self.inner[0]:
            if span.kind == "block":
                spans[span.name].append(span)
        return spans

    @cached_property
    def calls(self) -> list[StoredSpan]:
        """Returns the calls of nodes, and their failures, block by block."""
        return [call for calls in self.calls_by_block().values() for call in calls]

    def calls_by_block(self) -> dict[int, list[StoredSpan]]:
        """Groups the calls of nodes, and their failures, by the number of their block; 0 without blocks."""
        calls = {0: [span for span in self.inner[0] if span.kind != "block"]}
        for name, spans in self.blocks.items():
            calls[self._text_block(name).number] = [it for span in spans for it in self.inner[span.number]]
        return calls

    def _block(self, name: str, before: StoredSpan | None = None) -> State:
        """Rebuilds the state of a block before the call `before`, or its last state."""
        spans, block, facts = self.blocks[name], self._text_block(name), self.file.facts
        start = block_state(facts.original, facts.context, block.number, block.span, block.lead)
        inner = [call for span in spans for call in self.inner[span.number]]
        return self._after(start, self._updates(inner, before))

    def _text_block(self, name: str) -> TextBlock:
        body = self.blocks[name][0].body
        return TextBlock(int(name.split()[-1]), Span(body["start"], body["end"]), body["lead"], ())

    def _after(self, state: State, updates: Iterable[StoredSpan]) -> State:
        for span in updates:
            state = applied(state, self.update(span))
        return state

    def _updates(self, calls: Iterable[StoredSpan], before: StoredSpan | None) -> list[StoredSpan]:
        """Selects the calls that changed the state before the call `before`, ordered by their ends."""
        changing = [
            span
            for span in calls
            if span.kind in ("node", "failure")
            and "update" in span.body
            # Nodes of different kinds do not overlap.
            and (before is None or span.number < before.number)
        ]
        return sorted(changing, key=lambda span: span.ended)

    def update(self, span: StoredSpan) -> State:
        """Unpacks what a call changed in the state, without the passages of a search."""
        update = self.body(span)["update"] or {}
        update.pop("passages", None)
        return _UPDATE.validate_python(update)


@contextmanager
def open_store(home: Path | None = None) -> Iterator[TraceStore]:
    """Opens the trace store of this data folder for the block. Raises `InputError` if it fails."""
    store = TraceStore(store_path(home))
    try:
        yield store
    except sqlite3.Error as error:
        cure = "correct that, or delete the file with its traces"
        raise InputError(f"trace store {str(store_path(home))!r} fails ({error}): {cure}") from None
    finally:
        store.close()


def store_path(home: Path | None = None) -> Path:
    """Returns the path of the trace store in this data folder; None: the data folder of the settings."""
    return (home or Settings().home).expanduser() / "traces.sqlite"


def applied(state: State, update: State) -> State:
    """Merges a node's update into the state by the same reducers as the graph, and returns a new state."""
    merged: dict[str, Any] = dict(state)
    for name, value in update.items():
        reduce = _REDUCERS.get(name)
        merged[name] = reduce(merged[name], value) if reduce and name in merged else value
    return cast(State, merged)
