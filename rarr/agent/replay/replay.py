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
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from pydantic import SecretStr

from rarr.agent.answer import Answerer, write_answer
from rarr.agent.graph import metered
from rarr.agent.replay.differences import Changes, run_changes
from rarr.agent.replay.recorded import MemoryRecorder, RecordedChat, RecordedSearch
from rarr.agent.revise import Reviser
from rarr.agent.runs import budget_of, synchronous, using
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import chat_model
from rarr.agent.write import Writer
from rarr.backends.judge_name_parsing import NLI, is_language_model
from rarr.components import Baseline, Components
from rarr.errors import InputError
from rarr.nodes.attribute import attribute
from rarr.nodes.baseline_rewrite import rewrite
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.plan import plan
from rarr.nodes.write_section import write_section
from rarr.prompts import Prompt, load_file
from rarr.records import Revision
from rarr.settings import Settings
from rarr.settings.endpoints import Endpoint
from rarr.settings.setting_errors import names_with
from rarr.state import State
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import Meter
from rarr.tools.trace_spans import recording
from rarr.traces.recorded_answers import RecordedAnswers
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace, applied

NODES = {
    node.__name__: (node, prompts)
    for node, prompts in (
        (generate_queries, ("generate_queries", "target_queries", "search_queries")),
        (check_agreement, ("check_agreement", "check_agreement_doubt", "check_agreement_paper")),
        (edit, ("edit",)),
        (rewrite, ("correct_text", "rewrite_text")),
        (attribute, ("judge_attribution",)),
        (evaluate, tuple[str, ...]()),
        (plan, ("outline",)),
        (write_section, ("write_section",)),
        (write_answer, ("answer_with_citations",)),
    )
}
"""The nodes that a replay can run again, with their prompts."""
CURRENT = (
    names_with(SecretStr, Settings.model_fields)
    | names_with(Path, Settings.model_fields)
    | {name for name in Settings.model_fields if name.endswith("_url")}
    | {"search", "trace", "user_agent"}
)
"""Settings that are never taken from a trace: keys and addresses, files and folders."""
_LOCAL = ("overlap", "embedded")
"""The rerankers that need no server and no download."""


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


async def areplay(
    trace: Trace,
    node: str | None = None,
    *,
    prompt: str | Path | None = None,
    model: Any = None,
    **settings: Any,
) -> Replay:
    """Runs `node` again for all its calls in the run, with the prompt in a file, with another model, or both.

    Each call gets the state that it had in the run. Without a node, the whole run is repeated, and ends in
    the same revision if rarr works the same as then; its usage is that of the run. `settings`, such as
    `base_url`, win over those of the trace and the current ones. Raises `InputError` for a node that the run
    did not call, and for a prompt that does not fit.
    """
    calls = _calls(trace, node, changed=prompt is not None or model is not None)
    prompts = {recorded.name: recorded for recorded in trace.prompts.values()}
    if node is not None and prompt is not None:
        asked = model is not None
        prompts |= await to_thread(_replacing_prompt, trace, node, calls, Path(prompt), asked=asked)
    if node is not None and model is not None:
        owner = "edit" if node == "rewrite" else node  # whose model a rewriting baseline asks
        settings["models"] = {**settings.get("models", {}), owner: model}
    outcomes, recorder = list[str](), MemoryRecorder()
    components = await to_thread(_components, trace, prompts, settings, outcomes, live=node is not None)
    revision, updates = None, None
    with recording(recorder):
        if node is None:
            assert trace.revision is not None  # otherwise `_calls` has raised
            repeated = await _repeated(trace, components)
            # The usage of a run depends on its times, and on whether it was interrupted.
            revision = repeated.model_copy(update={"usage": trace.revision.usage})
        else:
            async with Reviser(components=components):
                updates = [(call, await _rerun(trace, call, components)) for call in calls]
    after = recorder.trace(trace.run_id, trace.file.facts, revision)
    failed = [error for error in outcomes if error]
    return Replay(trace, after, run_changes(trace, after, updates), len(outcomes), failed)


replay = synchronous(areplay)


async def _repeated(trace: Trace, components: Components) -> Revision:
    """Runs the text, topic or question of the trace again; of an article or answer, returns its research."""
    first = {span.name for span in trace.inner[0]}
    if "find_triples" in first:
        async with Answerer(components=components) as answerer:
            return (await answerer.aanswer_from(trace.start(), trace.run_id))[1]
    if "ask_topic" in first:
        async with Writer(components=components) as writer:
            return (await writer.awrite_from(trace.start(), trace.run_id)).research
    async with Reviser(components=components) as reviser:
        return await reviser.arevise_from(trace.start(), trace.run_id)


async def _rerun(trace: Trace, call: StoredSpan, components: Components) -> State:
    """Runs a node once more on the state of a recorded call, and returns the state after it."""
    with using(Meter(budget_of(components.settings))):
        state, node = trace.state(call), metered(call.name, NODES[call.name][0])
        of_branch = [query for query in state.get("queries", []) if query.id == call.about]
        branch = {"query": of_branch[0]} if of_branch else {}
        update: State = await node({**state, **branch}, Runtime(context=components))
        return applied(state, update)


def _calls(trace: Trace, node: str | None, *, changed: bool) -> list[StoredSpan]:
    """Returns the calls of the node in the run. Raises `InputError` where a replay makes no sense."""
    if node is None:
        if changed:
            raise InputError("a prompt or a model is for one node: name the node")
        if trace.revision is None:
            cure = "resume it, or replay a node"
            raise InputError(f"the run is {trace.status} and has no revision to compare with: {cure}")
        return []
    if node not in NODES:
        raise InputError(f"{node!r} is not a node that asks a model: the nodes are {', '.join(NODES)}")
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
    plain = NODES[node][1]
    spans = [span for call in calls for span in trace.within(call, "ask") if span.name in plain]
    used = list(dict.fromkeys(span.name for span in spans))
    if not used and not (asked and plain):
        raise InputError(f"{node} asked no language model in this run: give a model as well")
    used = used or list(plain[:1])
    if len(used) > 1 and file.stem not in used:
        raise InputError(f"{node} has the prompts {' and '.join(used)}: name the file after one of them")
    name = file.stem if file.stem in used else used[0]
    return {name: load_file(file, name)}


def _components(
    trace: Trace,
    prompts: Mapping[str, Prompt],
    given: Mapping[str, Any],
    outcomes: list[str],
    *,
    live: bool,
) -> Components:
    """Wires the components of the run, whose models and searches answer from the trace.

    `live`: new questions may be asked; `outcomes` gets the error of each answer, "" for none.
    """
    recorded = {key: value for key, value in trace.file.facts.settings.items() if key not in CURRENT}
    of_baseline = {field.name for field in fields(Baseline)} & set(recorded)
    baseline = Baseline(**{name: recorded.pop(name) for name in of_baseline})
    models = {**recorded.get("models", {}), **given.get("models", {})}
    if (judge := str(models.get("attribute", ""))).startswith(NLI) and "attribute" not in given.get(
        "models", {}
    ):
        raise InputError(
            f"the run judged support with {judge}, which a replay asks anew:"
            f" in Python, give models={{'attribute': {judge!r}}}"
        )
    current = _settings({**recorded, **_query_unit(trace, recorded), **given, "models": models})
    answers, search = RecordedAnswers(trace), RecordedSearch(trace)

    def answering(named: Any) -> Any:
        """Makes the model that answers from the run; models whose answers no trace holds stay as they are."""
        name = name_of(named)
        if not is_language_model(name):
            return named
        if name.startswith("<"):  # an object of the program that made the run
            return RecordedChat(name.strip("<>"), answers, outcomes)
        called = "scripted" if name.startswith("scripted:") else name
        chat = RecordedChat(called, answers, outcomes, partial(chat_model, named, current) if live else None)
        if named in given.get("models", {}).values():
            chat.open()  # raises at once if the model cannot be used
        return chat

    endpoints = trace.file.facts.settings.get("endpoints", {})
    local = current.reranker if current.reranker in _LOCAL else "overlap"
    settings = current.model_copy(
        update={
            "model": answering(current.model),
            "models": {node: answering(model) for node, model in models.items()},
            "fallbacks": [answering(model) for model in current.fallbacks],
            # Only the prices of the run, so that the cost is computed in the same way.
            "endpoints": {name: Endpoint(price=it.get("price")) for name, it in endpoints.items()},
            "search": search,
            "reranker": local,
        }
    )
    wired = wire(settings, prompts=prompts, baseline=baseline)
    if current.reranker == local:
        search.local = wired.reranker
    shown: dict[str, Any] = {"given": search.given, "searches": search.searches}
    return replace(wired, retriever=search, reranker=search, record=None, **shown)


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
