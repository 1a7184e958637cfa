"""A run as it was recorded: what nodes saw and said, what that led to, and the revision."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast, get_args, get_type_hints

from pydantic import TypeAdapter

from rarr.errors import InputError, RarrError
from rarr.ledger.block_results import Outcome, block_state, join_blocks
from rarr.prompts import Prompt
from rarr.records import Notice, Revision
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.text.document import Span
from rarr.tools.text.text_blocks import TextBlock
from rarr.traces.bodies import prompt_of
from rarr.traces.file import Status, StoredSpan, TraceFile
from rarr.traces.packing import Unpacker
from rarr.traces.store import TraceStore

_UPDATE: TypeAdapter[State] = TypeAdapter(State)
_REDUCERS = {
    name: get_args(hint)[1]
    for name, hint in get_type_hints(State, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}


class Trace:
    """One run. `load` takes it from the data folder, `read` from a file that `rarr trace export` wrote."""

    def __init__(self, file: TraceFile) -> None:
        """Raises `InputError` where the file lacks what it speaks of."""
        self.file = file
        self._unpacker = Unpacker()
        for span in file.spans:
            self._unpacker.learn(span.records)
        self._unpacker.learn(file.records)

    @classmethod
    def load(cls, run_id: str, home: Path | None = None) -> Self:
        """The run of this name, whose name alone begins so, or `last`, the newest.

        Raises `InputError` where there is none, and for one that is damaged.
        """
        with opened(home) as store:
            name = store.resolve(run_id)
            file = store.read(name)
        return cls._whole(file, f"the trace of {name!r}", f"rarr trace prune {name} removes it")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Raises `InputError` for a file that is no trace, or that is damaged."""
        return cls._whole(TraceFile.read(Path(path)), repr(str(path)), "export the trace once more")

    @classmethod
    def _whole(cls, file: TraceFile, name: str, cure: str) -> Self:
        try:
            trace = cls(file)
            trace._require_whole()
        except (ValueError, TypeError, LookupError, RarrError) as error:
            said = " ".join(str(error).split())[:200]
            raise InputError(f"{name} is damaged ({said}): {cure}") from None
        return trace

    def write(self, path: str | Path) -> None:
        """As `rarr trace export` does. Raises `InputError` where it cannot be written."""
        self.file.write(Path(path))

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self.file.run_id

    @property
    def status(self) -> Status:
        """What became of the run."""
        return self.file.status

    @property
    def seconds(self) -> float:
        """How long the run took; where it did not end, until the last thing that is known of it."""
        known = [self.file.started, *(_ended(span) for span in self.spans)]
        return max(known) - self.file.started if self.file.seconds is None else self.file.seconds

    @cached_property
    def revision(self) -> Revision | None:
        """What the run returned; None where it did not come to that."""
        found = self.file.revision
        return None if found is None else Revision.model_validate(self._unpacker.unpack(found))

    @cached_property
    def prompts(self) -> Mapping[str, Prompt]:
        """Those that models were asked with, by their hashes."""
        return {name: prompt_of(name, fields) for name, fields in self.file.prompts.items()}

    @property
    def spans(self) -> list[StoredSpan]:
        """All of them, in the order in which they began."""
        return self.file.spans

    @cached_property
    def inner(self) -> Mapping[int, list[StoredSpan]]:
        """The spans within each span, by its number, in the order in which they began; 0: within none."""
        return inner_of(self.spans)

    def body(self, span: StoredSpan) -> dict[str, Any]:
        """What a span holds, with its records. Of the passages that a search found it has the documents."""
        return cast(dict[str, Any], self._unpacker.unpack(span.body))

    def within(self, span: StoredSpan, *kinds: str) -> Iterator[StoredSpan]:
        """The spans of these kinds (all: none given) in this one, however deep."""
        found, todo = [], [span]
        while todo:
            below = self.inner[todo.pop().number]
            todo += below
            found += [one for one in below if not kinds or one.kind in kinds]
        yield from sorted(found, key=lambda one: one.number)

    def rendered(self, ask: StoredSpan) -> str:
        """The prompt of a question to a model as it was sent: its instructions, then the user message."""
        return f"{self.prompts[ask.body['prompt']].system}\n\n{ask.body['user']}"

    def state(self, before: StoredSpan | None = None) -> State:
        """What the run had come to when a call of a node began; without one, as far as it came.

        Of passages it has those alone that became evidence. A call for a block saw that block alone.
        """
        if not self.blocks:
            return self._after(self.start(), self._updates(self.inner[0], before))
        if before is not None:
            [name] = [
                name for name, spans in self.blocks.items() if before.parent in {s.number for s in spans}
            ]
            return self._block(name, before)
        outcomes = [Outcome(self._place(name), self._block(name)) for name in self.blocks]
        size = self.file.facts.settings.get("report_size", Settings.model_fields["report_size"].default)
        return join_blocks(self.start(), sorted(outcomes, key=lambda one: one.block.number), size)

    def state_after(self, call: StoredSpan) -> State:
        """What the run had come to by one call of a node."""
        state = self.state(call)
        return applied(state, self._update(call)) if "update" in call.body else state

    def start(self) -> State:
        """What the run began with."""
        facts = self.file.facts
        return State(
            original=facts.original,
            text=facts.original,
            context=facts.context,
            round=1,
            warnings=[Notice.model_validate(one) for one in facts.warnings],
        )

    def _require_whole(self) -> None:
        """What somebody else's file holds is looked at once, so that no reader of it fails."""
        self.file.require_whole()
        if self.blocks and any(span.kind != "block" for span in self.inner[0]):
            raise ValueError("a call is in no block")
        self.state()
        for span in self.spans:
            self.body(span)
        if self.revision is not None and self.revision.run_id != self.run_id:
            raise InputError("its revision is of another run")

    @cached_property
    def blocks(self) -> Mapping[str, list[StoredSpan]]:
        """The spans of each block of a long text, by its name: several, where the run was resumed."""
        found: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in self.inner[0]:
            if span.kind == "block":
                found[span.name].append(span)
        return found

    @cached_property
    def calls(self) -> list[StoredSpan]:
        """The calls of nodes, and what those left that failed, block by block."""
        top = [span for span in self.inner[0] if span.kind != "block"]
        return top + [
            call for spans in self.blocks.values() for span in spans for call in self.inner[span.number]
        ]

    def _block(self, name: str, before: StoredSpan | None = None) -> State:
        """What the run of a block had come to."""
        spans, block, facts = self.blocks[name], self._place(name), self.file.facts
        start = block_state(facts.original, facts.context, block.number, block.span, block.lead)
        inner = [call for span in spans for call in self.inner[span.number]]
        return self._after(start, self._updates(inner, before))

    def _place(self, name: str) -> TextBlock:
        body = self.blocks[name][0].body
        return TextBlock(int(name.split()[-1]), Span(body["start"], body["end"]), body["lead"], ())

    def _after(self, state: State, updates: Iterable[StoredSpan]) -> State:
        for span in updates:
            state = applied(state, self._update(span))
        return state

    def _updates(self, calls: Iterable[StoredSpan], before: StoredSpan | None) -> list[StoredSpan]:
        """Those that changed the state before a call, in the order in which they did."""
        found = [
            span
            for span in calls
            if span.kind in ("node", "failure")
            and "update" in span.body
            # Nodes of different kinds do not overlap.
            and (before is None or span.number < before.number)
        ]
        return sorted(found, key=_ended)

    def _update(self, span: StoredSpan) -> State:
        update = self.body(span)["update"] or {}
        update.pop("passages", None)
        return _UPDATE.validate_python(update)


def inner_of(spans: Iterable[StoredSpan]) -> Mapping[int, list[StoredSpan]]:
    """See `Trace.inner`."""
    found: dict[int, list[StoredSpan]] = defaultdict(list)
    for one in spans:
        found[one.parent].append(one)
    return found


@contextmanager
def opened(home: Path | None = None) -> Iterator[TraceStore]:
    """The traces of this data folder. Raises `InputError` where they cannot be read or written."""
    store = TraceStore(store_path(home))
    try:
        yield store
    except sqlite3.Error as error:
        cure = "mend that, or delete the file, and its traces with it"
        raise InputError(f"trace store {str(store_path(home))!r} fails ({error}): {cure}") from error
    finally:
        store.close()


def store_path(home: Path | None = None) -> Path:
    """The file with the traces of this data folder; None: that of the settings."""
    return (home or Settings().home).expanduser() / "traces.sqlite"


def _ended(span: StoredSpan) -> float:
    return span.started + (span.seconds or 0.0)


def applied(state: State, update: State) -> State:
    """The state after an update of a node, as the graph makes it."""
    merged: dict[str, Any] = dict(state)
    for name, value in update.items():
        reduce = _REDUCERS.get(name)
        merged[name] = reduce(merged[name], value) if reduce and name in merged else value
    return cast(State, merged)
