"""Runs a recorded run again: the whole run, or one node with another prompt or model.

Models, searches and rerankers answer from the trace. The rest is computed anew by the installed code. If a
node is named, questions that the trace cannot answer, such as those of a changed prompt, are asked for real.
A trace may come from others, so addresses, keys and documents are always the current ones, and never those of
the trace.
"""

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from pydantic import SecretStr

from rarr.agent.final_revision import budget_of
from rarr.agent.graph import metered
from rarr.agent.replay.in_memory_recorder import MemoryRecorder
from rarr.agent.replay.live_components import LiveComponents
from rarr.agent.replay.recorded_components import (
    LOCAL,
    RecordedChat,
    RecordedSearch,
)
from rarr.agent.replay.repeated_run import repeated
from rarr.agent.replay.replayed_nodes import MODEL_OF, NODE_PROMPTS, REPLAYED_NODES
from rarr.agent.replay.run_differences import Changes, run_changes
from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.backends.judge_name_parsing import NLI, is_language_model
from rarr.components import Baseline, Components
from rarr.errors import InputError
from rarr.prompts import Prompt, load_file
from rarr.records import Revision
from rarr.settings import Settings
from rarr.settings.endpoints import Endpoint
from rarr.settings.settings_by_type import names_with
from rarr.state import State
from rarr.tools.concurrency import run
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.trace_spans import recording
from rarr.traces.recorded_answers import RecordedAnswers
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace, applied

CURRENT = (
    names_with(SecretStr, Settings.model_fields)
    | names_with(Path, Settings.model_fields)
    | {name for name in Settings.model_fields if name.endswith("_url")}
    | {"otel", "search", "trace", "user_agent"}
)
"""Settings that are never taken from a trace: keys and addresses, files and folders."""


@dataclass(frozen=True)
class Replay:
    """The result of a replay. `after` is its trace; `revision` is None where only one node ran again.

    `asked` counts the questions that were sent to models, and `failed` are the errors among their answers.
    """

    before: Trace
    after: Trace
    changes: Changes
    asked: int
    failed: list[str]

    @property
    def revision(self) -> Revision | None:
        """The revision of the replay."""
        return self.after.revision

    @property
    def same(self) -> bool:
        """True if both runs have a revision, and the two are equal as JSON, byte for byte."""
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
    """Runs `node` again for all its calls in the run, with the prompt in a file, with another model, or both.

    Each call gets the state that it had in the run; with `downstream` the run continues from there. Without a
    node, the whole run is repeated, and ends in the same revision if rarr works the same as then. `settings`,
    such as `base_url`, win over those of the trace and the current ones. Raises `InputError` for a node that
    the run did not call, and for a prompt that does not fit.
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
    prompts = {recorded.name: recorded for recorded in trace.prompts.values()}
    if node is not None and prompt is not None:
        prompts |= await to_thread(
            _replacing_prompt, trace, node, calls, Path(prompt), asked=model is not None
        )
    if node is not None and model is not None:
        settings["models"] = {**settings.get("models", {}), MODEL_OF.get(node, node): model}
    live = LiveComponents() if node is not None else None
    components = await to_thread(_components, trace, prompts, settings, live)
    if live is not None and model is not None:
        await to_thread(live.model, model)  # raises at once if the model cannot be used
    recorder = MemoryRecorder()
    revision, updates = None, None
    async with Reviser(components=components) as reviser:
        with recording(recorder):
            if node is not None and not downstream:
                updates = [(call, await _rerun(trace, call, components)) for call in calls]
            else:
                revision = await repeated(trace, reviser, components)
    if revision is not None and node is None:
        revision = _with_recorded_times(revision, trace)
    after = recorder.trace(trace.run_id, trace.file.facts, revision)
    outcomes = live.outcomes if live else []
    failed = [error for error in outcomes if error]
    return Replay(trace, after, run_changes(trace, after, updates), len(outcomes), failed)


async def _rerun(trace: Trace, call: StoredSpan, components: Components) -> State:
    """Runs a node once more on the state of a recorded call, and returns the state after it."""
    token = METER.set(Meter(budget_of(components.settings)))
    try:
        state, node = trace.state(call), metered(call.name, REPLAYED_NODES[call.name])
        of_branch = [query for query in state.get("queries", []) if query.id == call.about]
        branch = {"query": of_branch[0]} if of_branch else {}
        update: State = await node({**state, **branch}, Runtime(context=components))
        return applied(state, update)
    finally:
        METER.reset(token)


def _calls(trace: Trace, node: str | None, **given: Any) -> list[StoredSpan]:
    if node is None:
        if any(value is not None for value in given.values()):
            raise InputError("a prompt or a model is for one node: name the node")
        if trace.revision is None:
            cure = "resume it, or replay a node"
            raise InputError(f"the run is {trace.status} and has no revision to compare with: {cure}")
        return []
    if node not in REPLAYED_NODES:
        raise InputError(
            f"{node!r} is not a node that asks a model: the nodes are {', '.join(REPLAYED_NODES)}"
        )
    called = list(dict.fromkeys(span.name for span in trace.spans if span.kind == "node"))
    if node not in called:
        raise InputError(f"the run did not reach {node}: it called {', '.join(called) or 'no node'}")
    return [span for span in trace.spans if span.kind == "node" and span.name == node]


def _replacing_prompt(
    trace: Trace, node: str, calls: Sequence[StoredSpan], file: Path, *, asked: bool
) -> dict[str, Prompt]:
    """Loads the prompt in `file`, by the name of the prompt of `node` that it replaces.

    `asked`: a model is given too. Raises `InputError` if no model was asked, or if the name is not clear.
    """
    plain = _plain_prompts(trace, node)
    spans = [span for call in calls for span in trace.within(call, "ask") if span.name in plain]
    used = list(dict.fromkeys(span.name for span in spans))
    if not used and not asked:
        raise InputError(f"{node} asked no language model in this run: give a model as well")
    used = used or list(plain)
    if len(used) > 1 and file.stem not in used:
        raise InputError(f"{node} has the prompts {' and '.join(used)}: name the file after one of them")
    name = file.stem if file.stem in used else used[0]
    return {name: load_file(file, name)}


def _plain_prompts(trace: Trace, node: str) -> tuple[str, ...]:
    """Names the prompts of `node`. A baseline has others."""
    settings = trace.file.facts.settings
    if node == "generate_queries" and settings.get("editor") == "lamda":
        return ("search_queries",)
    return NODE_PROMPTS[node]


def _components(
    trace: Trace, prompts: Mapping[str, Prompt], given: Mapping[str, Any], live: LiveComponents | None
) -> Components:
    recorded = {key: value for key, value in trace.file.facts.settings.items() if key not in CURRENT}
    of_baseline = {field.name for field in fields(Baseline)} & set(recorded)
    baseline = Baseline(**{name: recorded.pop(name) for name in of_baseline})
    models = {**recorded.get("models", {}), **given.get("models", {})}
    _require_recorded_judge(models, given)
    current = _settings({**recorded, **_query_unit(trace, recorded), **given, "models": models})
    if live is not None:
        live.settings = current
    answers, search = RecordedAnswers(trace), RecordedSearch(trace, live)
    settings = current.model_copy(
        update={
            "model": _model(current.model, answers, live),
            "models": {node: _model(model, answers, live) for node, model in models.items()},
            "fallbacks": [_model(model, answers, live) for model in current.fallbacks],
            "endpoints": _prices(trace.file.facts.settings),
            "search": search,
            "reranker": (local := current.reranker if current.reranker in LOCAL else "overlap"),
        }
    )
    wired = wire(settings, prompts=prompts, baseline=baseline)
    if current.reranker == local:
        search.local = wired.reranker
    given = {"given": search.given, "searches": search.searches}
    return replace(wired, retriever=search, reranker=search, record=None, **given)


def _query_unit(trace: Trace, recorded: Mapping[str, Any]) -> dict[str, str]:
    """Returns what the run of a reader of cards searched for, which `auto` decided by its sources."""
    asked = {span.name for span in trace.spans if span.kind == "ask"}
    if recorded.get("queries", "auto") != "auto" or "check_agreement" not in asked:
        return {}
    by_questions = "generate_queries" in asked
    return {"queries": "questions" if by_questions else "sentences"}


def _settings(values: Mapping[str, Any]) -> Settings:
    """Makes settings of `values` and defaults; file and environment give API keys, paths and addresses."""
    fixed = {name: field.default for name, field in Settings.model_fields.items() if name not in CURRENT}
    return Settings(**{**fixed, **values, "trace": False})


def _prices(recorded: Mapping[str, Any]) -> dict[str, Endpoint]:
    """Takes only the prices of the recorded endpoints, so that the cost is computed in the same way."""
    endpoints = recorded.get("endpoints", {})
    return {name: Endpoint(price=endpoint.get("price")) for name, endpoint in endpoints.items()}


def _require_recorded_judge(models: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    named = str(models.get("attribute", ""))
    if named.startswith(NLI) and "attribute" not in given.get("models", {}):
        raise InputError(
            f"the run judged support with {named}, which a replay asks anew:"
            f" in Python, give models={{'attribute': {named!r}}}"
        )


def _model(named: Any, answers: RecordedAnswers, live: LiveComponents | None) -> Any:
    """Makes a model that answers from the run, and asks `live` if no answer is recorded.

    The names of the embedded models, and of NLI models, whose answers no trace holds, stay as they are.
    """
    name = name_of(named)
    if not is_language_model(name):
        return named
    if name.startswith("<"):  # an object of the program that made the run
        return RecordedChat(name.strip("<>"), answers)
    called = "scripted" if name.startswith("scripted:") else name
    return RecordedChat(called, answers, None if live is None else partial(live.model, named))


def _with_recorded_times(revision: Revision, trace: Trace) -> Revision:
    """Copies the recorded times into `revision`: they are an input of a run, like the answers.

    For a resumed run, the usage is an input too: it depends on the time of the interruption.
    """
    assert trace.revision is not None  # otherwise `_calls` has raised
    old, new = trace.revision.usage, revision.usage
    by_node = {
        node: used.model_copy(update={"seconds": old.by_node[node].seconds}) if node in old.by_node else used
        for node, used in new.by_node.items()
    }
    nodes = [span for span in trace.spans if span.kind == "node"]
    resumed = (
        any(span.seconds is None for span in nodes)
        or any(len(spans) > 1 for spans in trace.blocks.values())
        # Killed between the end of a call and its checkpoint: the call was made again.
        or any(_has_repeated_call(nodes, parent) for parent in {span.parent for span in nodes})
    )
    usage = old if resumed else new.model_copy(update={"seconds": old.seconds, "by_node": by_node})
    return revision.model_copy(update={"usage": usage})


def _has_repeated_call(nodes: Sequence[StoredSpan], parent: int) -> bool:
    """Was a node called twice in a row, or a query searched twice, in the block of the text at `parent`?"""
    calls = [(span.name, span.about) for span in nodes if span.parent == parent]
    searches = [call for call in calls if call[0] == "retrieve"]
    others = [call for call in calls if call[0] != "retrieve"]
    return len(searches) > len(set(searches)) or any(one == other for one, other in pairwise(others))
