"""Runs again what a trace recorded: all of it, or one node with another prompt or model.

Models, searches and rerankers answer from the trace; what it does not have, such as the answer to a prompt
that was changed, is asked live. The rest is computed anew, by the code that is installed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.graph import metered
from rarr.agent.language_models import chat_model, name_of
from rarr.agent.revise import Reviser, budget_of
from rarr.agent.settings import Settings
from rarr.agent.state import State
from rarr.agent.wiring import EMBEDDED, NLI, wire
from rarr.errors import InputError
from rarr.nodes.attribute import attribute
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.rewrite import rewrite
from rarr.prompts import Prompt, load_file
from rarr.records import Revision
from rarr.tools.background import run
from rarr.tools.meter import METER, Meter
from rarr.tools.spans import RECORDER
from rarr.traces.comparing import Changes, changes
from rarr.traces.file import StoredSpan
from rarr.traces.memory import MemoryRecorder
from rarr.traces.recorded import RecordedAnswers, RecordedChat, RecordedSearch
from rarr.traces.trace import Trace, applied

_NODES = {
    node.__name__: node for node in (generate_queries, check_agreement, edit, rewrite, attribute, evaluate)
}
_PROMPTS = {
    "generate_queries": ("generate_queries", "target_queries"),
    "check_agreement": ("check_agreement",),
    "edit": ("edit",),
    "rewrite": ("rewrite_sentence", "rewrite_text"),
    "attribute": ("judge_attribution",),
    "evaluate": ("judge_intent",),
}
"""The prompts of each node, but for their forms for a text that has a context."""
_MODEL_OF = {"rewrite": "edit"}  # the node that a node's model is named for, where that is another


@dataclass(frozen=True)
class Replay:
    """What came of it. `after` is its trace; `revision` is None where only one node was run again."""

    before: Trace
    after: Trace
    changes: Changes

    @property
    def revision(self) -> Revision | None:
        """The new one."""
        return self.after.revision

    @property
    def same(self) -> bool:
        """Is the revision that of the recorded run, byte for byte?"""
        new, old = self.after.revision, self.before.revision
        return bool(new and old and new.model_dump_json() == old.model_dump_json())


def replay(
    trace: Trace,
    node: str | None = None,
    *,
    prompt: str | Path | None = None,
    model: Any = None,
    downstream: bool = False,
    **settings: Any,
) -> Replay:
    """Runs `node` again for all its calls in the run, with the prompt of a file, by another model, or both.

    Each call sees what it saw in the run; with `downstream` the run goes on from there. Without a node all of
    it is run again, and comes to the same revision where rarr does the same as it did. `settings` are used
    in place of the recorded ones, such as `base_url`; keys come from where they come from in any run. Raises
    `InputError` for a node that the run did not call, and for a prompt that does not fit.
    """
    return run(areplay(trace, node, prompt=prompt, model=model, downstream=downstream, **settings))


async def areplay(
    trace: Trace,
    node: str | None = None,
    *,
    prompt: str | Path | None = None,
    model: Any = None,
    downstream: bool = False,
    **settings: Any,
) -> Replay:
    """`replay` for async callers."""
    calls = _calls(trace, node, prompt=prompt, model=model)
    prompts = {one.name: one for one in trace.prompts.values()}
    if node is not None and prompt is not None:
        prompts |= _changed(trace, node, calls, Path(prompt))
    if model is not None and node is not None:
        settings["models"] = {_MODEL_OF.get(node, node): model}
    components = _components(trace, prompts, settings)
    reviser, recorder = Reviser(components=components), MemoryRecorder()
    token = RECORDER.set(recorder)
    try:
        async with reviser:
            if node is None or downstream:
                revision = await reviser.arevise_from(trace.start(), trace.run_id)
                if node is None:
                    revision = _at_its_pace(revision, trace.revision)
                updates = None
            else:
                revision = None
                updates = [(call, await _again(trace, call, components)) for call in calls]
    finally:
        RECORDER.reset(token)
    after = recorder.trace(trace.run_id, trace.file.facts, revision)
    return Replay(trace, after, changes(trace, after, updates))


async def _again(trace: Trace, call: StoredSpan, components: Components) -> State:
    """The update of one call of a node, on the state that it saw."""
    token = METER.set(Meter(budget_of(components.settings)))
    try:
        state, node = trace.state(call), metered(call.name, _NODES[call.name])
        update: State = await node(state, Runtime(context=components))
        return applied(state, update)
    finally:
        METER.reset(token)


def _calls(trace: Trace, node: str | None, **given: Any) -> list[StoredSpan]:
    if node is None:
        if any(one is not None for one in given.values()):
            raise InputError("a prompt or a model is for a node: name it")
        return []
    if node not in _NODES:
        raise InputError(f"{node!r} is no node that asks a model: give one of {', '.join(_NODES)}")
    called = list(dict.fromkeys(span.name for span in trace.spans if span.kind == "node"))
    if node not in called:
        raise InputError(f"the run did not come to {node}: it called {', '.join(called) or 'no node'}")
    return [span for span in trace.spans if span.kind == "node" and span.name == node]


def _changed(trace: Trace, node: str, calls: Sequence[StoredSpan], file: Path) -> dict[str, Prompt]:
    """The prompt of the file, by the name of that which it replaces."""
    family = {name + form for name in _PROMPTS[node] for form in ("", "_in_context")}
    asked = [span for call in calls for span in trace.within(call, "ask") if span.name in family]
    used = list(dict.fromkeys(span.name for span in asked))
    if not used:
        form = "_in_context" if trace.file.facts.context is not None else ""
        used = [name + form if name + form in family else name for name in _PROMPTS[node]]
    name = file.stem if file.stem in used else used[0]
    if len(used) > 1 and file.stem not in used:
        raise InputError(f"{node} has the prompts {' and '.join(used)}: call the file by the name of one")
    return {name: load_file(file, name)}


def _components(trace: Trace, prompts: Mapping[str, Prompt], given: Mapping[str, Any]) -> Components:
    recorded = trace.file.facts.settings
    models = {**recorded.get("models", {}), **given.get("models", {})}
    live = _settings({**recorded, **given, "models": models})
    answers = RecordedAnswers(trace)
    search = RecordedSearch(trace, _searching(live))
    settings = live.model_copy(
        update={
            "model": _model(live.model, answers, live),
            "models": {node: _model(one, answers, live) for node, one in live.models.items()},
            "fallbacks": [_model(one, answers, live) for one in live.fallbacks],
            "search": search,
            "reranker": "overlap",
        }
    )
    return replace(wire(settings, prompts=prompts), retriever=search, reranker=search)


def _settings(values: Mapping[str, Any]) -> Settings:
    """These and the defaults, whatever file and environment say today; but for keys, and where data are."""
    fixed = {
        name: field.default
        for name, field in Settings.model_fields.items()
        if field.default_factory is None and name != "api_key"
    }
    return Settings(**{**fixed, **values, "trace": False})


def _model(named: Any, answers: RecordedAnswers, live: Settings) -> Any:
    """The model, which is asked what the run does not have the answer to."""
    name = name_of(named)
    if name in EMBEDDED or name.startswith(NLI):
        return named
    if name.startswith("<"):  # an object, which is gone
        return RecordedChat(name.strip("<>"), answers)
    called = "scripted" if name.startswith("scripted:") else name
    return RecordedChat(called, answers, lambda: chat_model(named, live))


def _searching(live: Settings) -> Callable[[], Components]:
    """What the recorded settings search, opened when a query comes that the run did not have."""
    made: list[Components] = []

    def searching() -> Components:
        if not made:
            made.append(wire(live.model_copy(update={"model": "embedded", "models": {}, "fallbacks": []})))
        return made[0]

    return searching


def _at_its_pace(revision: Revision, recorded: Revision | None) -> Revision:
    """With the recorded times: how long something takes is an input of a run as answers are."""
    if recorded is None:
        return revision
    old, new = recorded.usage, revision.usage
    by_node = {
        node: used.model_copy(update={"seconds": old.by_node[node].seconds}) if node in old.by_node else used
        for node, used in new.by_node.items()
    }
    usage = new.model_copy(update={"seconds": old.seconds, "by_node": by_node})
    return revision.model_copy(update={"usage": usage})
