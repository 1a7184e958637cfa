"""Replays a recorded run: as it was, or with another prompt or model for one of its nodes.

The whole graph runs with the installed code. The results of searches come from the trace. The answers of
models also come from the trace, if the questions are recorded. New questions are sent to the models. Wrong
sentences that test the reader follow from the text and the passages, so they are the same in each replay.

A trace file may come from a stranger, so its addresses are never used. Keys and documents are always those of
the current settings.
"""

from asyncio import to_thread
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.runtime import Runtime
from pydantic import SecretStr

from rarr.agent.answer import Answerer
from rarr.agent.graph import Node
from rarr.agent.revise import Reviser
from rarr.agent.runs import synchronous
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.models import chat_model
from rarr.agent.write import Writer
from rarr.backends.prompted.judging import PREFIXES, is_language_model
from rarr.components import NO_BASELINE, Baseline, Components
from rarr.errors import BudgetError, InputError, ModelError, RarrError, RetrievalError, SetupError
from rarr.ledger.edit_gate import unedited_place
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.plan import plan
from rarr.prompts import Prompt, load_file
from rarr.records import Revision, Sentence
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import Endpoint, Settings
from rarr.settings.reading import has_type
from rarr.state import State
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest, name_of
from rarr.tools.models.failures import redact_secrets
from rarr.tools.models.retries import cure_of
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import is_failure, kind_of
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import RecordedAnswers, Trace

NODE_PROMPTS = {
    "generate_queries": ("generate_queries", "target_queries", "search_queries"),
    "check_agreement": ("check_agreement", "check_agreement_doubt", "check_agreement_paper"),
    "edit": ("edit",),
    "attribute": ("judge_attribution",),
    "plan": ("outline",),
    "write_section": ("write_section",),
    "write_answer": ("answer_with_citations",),
}
"""The names of the prompts of each node that asks a language model."""
QUERY_NODES: dict[str, Node] = {"generate_queries": generate_queries, "plan": plan}
"""The nodes that make queries. A replay compares their new queries with the recorded ones."""
SEARCH_NODES = ("retrieve", "rerank", "find_triples")
NOT_REPLAYED = {"search", "trace", "user_agent"} | {
    name
    for name, field in Settings.model_fields.items()
    if name.endswith("_url") or has_type(field.annotation, SecretStr) or has_type(field.annotation, Path)
}
"""Settings that are not taken from a trace: keys and addresses, files and folders.

The address of the model is taken from a trace of this machine, unless the caller or the settings give one.
"""


class SentenceChange(NamedTuple):
    """A sentence whose status or words differ between the recorded run and the replay.

    `text` is the original sentence. `before` and `after` are its records in the two reports, or None if a
    report lacks the sentence. `why` lists reasons in the replay: edits, checks, quotes, open words.
    """

    text: str
    before: Sentence | None
    after: Sentence | None
    why: str


@dataclass(frozen=True)
class Replay:
    """The result of a replay: the recorded and the new revision, and the sentences that differ (`changes`).

    `questions` are two lists of search queries: those that only the recorded run has, and those that only the
    replay has. `asked` counts the requests that the replay sent. `failed` lists the errors of these requests;
    if no request failed, it lists the warnings about failures that the recorded run did not have.
    """

    before: Revision
    after: Revision
    changes: list[SentenceChange]
    questions: tuple[list[str], list[str]]
    asked: int
    failed: list[str]

    @property
    def same(self) -> bool:
        """True if the two revisions are equal as JSON, byte for byte."""
        return self.before.model_dump_json() == self.after.model_dump_json()


async def areplay(
    trace: Trace,
    node: str | None = None,
    *,
    prompt: str | Path | None = None,
    model: Any = None,
    **settings: Any,
) -> Replay:
    """Replays a recorded run. One `node` may get another prompt (a file), another model, or both.

    The file replaces the prompt of the same name. Without a prompt and a model, no model is asked, and the
    revision is the same unless rarr has changed. `settings`, such as `base_url`, replace the settings of the
    trace and the current settings. Raises `InputError` for a run without a revision, a node that the run did
    not call, and a prompt that the node does not use.
    """
    if not isinstance(trace, Trace):
        raise InputError(f"trace is {kind_of(trace)}: give a trace, such as Trace.load('last')")
    if trace.revision is None:
        raise InputError(f"the run is {trace.status} without a revision: revise its text again")
    name = "" if prompt is None else Path(str(prompt)).stem
    if prompt is not None and not await to_thread(Path(str(prompt)).is_file):
        raise InputError(f"there is no file {str(prompt)!r}: give the file of a prompt")
    node = _node_to_run_again(trace, node or "", name, has_model=model is not None)
    prompts = {recorded.name: recorded for recorded in trace.prompts.values()}
    if prompt is not None:
        prompts[name] = await to_thread(load_file, Path(prompt), name)
    if node and model is not None:
        settings["models"] = {**settings.get("models", {}), node: model}
    outcomes, recorded = list[str](), RecordedNodes(trace, node)
    components = await to_thread(_replay_components, trace, prompts, settings, outcomes, live=bool(node))
    first = {span.name for span in trace.inner[0]}
    kind = Answerer if "find_triples" in first else Writer if {"plan", "assemble"} & first else Reviser
    async with kind(components=replace(components, replaced=recorded.nodes)) as runs:
        _, after = await runs.arun(trace.start(), trace.run_id)
    # The usage of a run depends on its times, and on whether it was interrupted.
    after = after.model_copy(update={"usage": trace.revision.usage})
    failed = [error for error in outcomes if error]
    if outcomes and not failed:
        failed = [it.message for it in after.warnings if is_failure(it) and it not in trace.revision.warnings]
    changes = sentence_changes(trace.revision, after)
    return Replay(trace.revision, after, changes, recorded.questions, len(outcomes), failed)


replay = synchronous(areplay)


def _node_to_run_again(trace: Trace, node: str, prompt: str, *, has_model: bool) -> str:
    """Returns the node to run again: `node`, or else the node that uses `prompt`; "" if both are empty."""
    node = node or next((name for name, names in NODE_PROMPTS.items() if prompt in names), "")
    if not node and (prompt or has_model):
        file = ", or give the file the name of its prompt, as check_agreement.md" if prompt else ""
        raise InputError(f"name the node, as node='check_agreement' (in the command, --node){file}")
    if node and node not in NODE_PROMPTS:
        raise InputError(f"{node!r} is not a node that asks a model: the nodes are {', '.join(NODE_PROMPTS)}")
    called = {span.name for span in trace.spans if span.kind == "node"}
    if node and node not in called:
        raise InputError(f"the run did not reach {node}: it called {', '.join(sorted(called)) or 'no node'}")
    used = [it for it in NODE_PROMPTS.get(node, ()) if it in _prompts_asked(trace)]
    allowed = used or (NODE_PROMPTS[node] if has_model else ())
    if prompt and prompt not in allowed:
        asked = f"asked with {' and '.join(used)}" if used else "asked no language model"
        cure = "name the file after its prompt" if allowed else "give a model as well, or take a run with one"
        raise InputError(f"{node} {asked} in this run: {cure}")
    return node


def _prompts_asked(trace: Trace) -> set[str]:
    return {span.name for span in trace.spans if span.kind == "ask"}


class RecordedNodes:
    """Replaces the nodes that make queries or search. The replacements return recorded updates of the state.

    If `node` makes queries, this node also runs. Its queries are only compared with the recorded queries.
    """

    def __init__(self, trace: Trace, node: str) -> None:
        self._trace, self._again = trace, node
        self.questions: tuple[list[str], list[str]] = [], []
        self.nodes = {name: partial(self._recorded_update, name) for name in (*SEARCH_NODES, *QUERY_NODES)}
        self._calls = defaultdict[tuple[str, int], list[StoredSpan]](list)
        self._relevances = defaultdict[str, dict[str, float]](dict)
        for number, calls in trace.calls_by_block().items():
            for call in calls:
                if call.name == "retrieve" and call.about:
                    cure = "revise the text again, or install that version"
                    raise InputError(f"only the earlier version of rarr that made the run replays it: {cure}")
                if call.kind == "node" and ("update" in call.body or call.error not in ("", "cancelled")):
                    self._calls[call.name, number].append(call)
        for update in trace.updates:
            for query_id, by_evidence in update.get("relevances", {}).items():
                self._relevances[query_id] |= by_evidence

    async def _recorded_update(self, name: str, state: Any, runtime: Runtime[Components]) -> State:
        """Returns the next recorded state update of the node `name`, or raises the recorded error."""
        calls = self._calls[name, state.get("block", 0)]
        if not calls:  # the recorded run did not have this round, so nothing is searched
            return {"queries": state["queries"], "lacking": []} if name in QUERY_NODES else {}
        call = calls.pop(0)
        if "update" not in call.body:
            raise _error_from_line(call.error)
        update = self._trace.update(call)
        if name == self._again:
            updates = update, await QUERY_NODES[name](state, runtime)
            was, now = ([it.text for it in each.get("queries", []) if it.searched] for each in updates)
            self.questions[0].extend(text for text in was if text not in now)
            self.questions[1].extend(text for text in now if text not in was)
        return {**update, "relevances": dict(self._relevances)} if name == "rerank" else update


def _error_from_line(line: str) -> RarrError:
    """Makes the error from a line such as `ModelError: message`. An unknown name gives a `RetrievalError`."""
    kinds = {kind.__name__: kind for kind in (BudgetError, InputError, ModelError, SetupError)}
    name, _, message = line.partition(": ")
    return kinds[name](message) if name in kinds else RetrievalError(line.removeprefix("RetrievalError: "))


class RecordedChat:
    """A chat model that answers or fails as it did in the recorded run.

    `make` makes the model for new questions. Without `make`, a new question fails. After each new question,
    `outcomes` gets one more string: the error, or "" if the model answered.
    """

    def __init__(
        self, name: str, answers: RecordedAnswers, outcomes: list[str], make: Callable[[], ChatModel] | None
    ) -> None:
        self.name, self._answers, self._outcomes, self._make = name, answers, outcomes, make
        self._live: ChatModel | None = None

    def live_model(self) -> ChatModel:
        """Returns the model for new questions. The first call makes it. Raises an error if this fails."""
        if self._make is None:
            raise CallFailure("refused", f"{self.name} was not asked this in the recorded run: name a model")
        if self._live is None:
            self._live = self._make()
        return self._live

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the recorded answer, or raises the recorded failure. Sends a new question to the model."""
        if (recorded := self._answers.next_answer(self.name, ask)) is not None:
            return recorded
        live = self.live_model()
        try:
            answer = await live.complete(ask)
        except CallFailure as failure:
            self._outcomes.append("; ".join(filter(None, (str(failure), cure_of(failure)))))
            raise
        self._outcomes.append("")
        return answer

    async def aclose(self) -> None:
        if self._live is not None:
            await self._live.aclose()


def _replay_components(
    trace: Trace, prompts: Mapping[str, Prompt], given: Mapping[str, Any], outcomes: list[str], *, live: bool
) -> Components:
    """Makes the components of a replay. Answers are from the trace; with `live`, models get new questions."""
    current, answers = _replay_settings(trace, given), RecordedAnswers(trace, failures=True)

    def answering(named: Any) -> Any:
        """Replaces a language model by a chat that answers from the trace. Returns other models unchanged."""
        name = name_of(named)
        if not is_language_model(name):
            return named
        is_object = name.startswith("<")  # of the program that made the run; it cannot be made here
        make = partial(chat_model, named, current) if live and not is_object else None
        chat = RecordedChat(name.strip("<>"), answers, outcomes, make)
        if named in given.get("models", {}).values():
            chat.live_model()  # raises at once if the model cannot be used
        return chat

    recorded = {
        "model": answering(current.model),
        "models": {node: answering(model) for node, model in current.models.items()},
        "fallbacks": [answering(model) for model in current.fallbacks],
        "search": GivenPassages((), window=4),  # the recorded nodes never search
    }
    settings = current.model_copy(update={**recorded, "endpoints": {}, "reranker": "overlap"})
    searches = any(call.name == "retrieve" for call in trace.calls)
    editor = trace.file.facts.settings.get("editor", NO_BASELINE.editor)  # "unedited" for a check
    made = wire(settings, prompts=prompts, baseline=Baseline(editor=editor))
    return replace(made, record=None, searches=searches)


def _replay_settings(trace: Trace, given: Mapping[str, Any]) -> Settings:
    """Makes the settings of the recorded run, with keys, paths and addresses of the current settings."""
    facts = trace.file.facts.settings
    # A trace has no prices, and `max_cost` needs prices.
    recorded = {key: value for key, value in facts.items() if key not in NOT_REPLAYED | {"max_cost"}}
    is_usual = recorded.pop("editor", "unedited") == "unedited"
    if not (is_usual and recorded.keys() <= Settings.model_fields.keys()):
        raise InputError("the run is of a baseline: replay a run of the usual pipeline")
    models = {**recorded.get("models", {}), **given.get("models", {})}
    judge = str(models.get("attribute", ""))
    if judge.startswith(PREFIXES) and judge not in given.get("models", {}).values():
        how = f"in Python, give models={{'attribute': {judge!r}}}"
        raise InputError(f"the run judged support with {judge}, which a replay asks anew: {how}")
    asked = _prompts_asked(trace)
    if "check_agreement" in asked and recorded.get("queries", "auto") == "auto":  # the sources decided
        recorded["queries"] = "questions" if "generate_queries" in asked else "sentences"
    # The settings file and the environment give keys, paths and addresses, but no other setting.
    fixed = {name: field.default for name, field in Settings.model_fields.items() if name not in NOT_REPLAYED}
    current = Settings(**{**fixed, **recorded, **given, "models": models, "trace": False})
    update: dict[str, Any] = {}
    if (url := redact_secrets(facts.get("base_url") or "")) and "base_url" not in given:
        # A key belongs to a server: the server of the run must not get the key of another server.
        update = {"base_url": current.base_url or url}  # the trace has no user and password
        if redact_secrets(update["base_url"]) != url:
            update = {"base_url": url, "api_key": current.api_key if "api_key" in given else None}
    own = {name: Endpoint(base_url=it.get("base_url")) for name, it in facts.get("endpoints", {}).items()}
    return current.model_copy(update={**update, "endpoints": {**own, **current.endpoints}})


def sentence_changes(before: Revision, after: Revision) -> list[SentenceChange]:
    """Lists the sentences whose status or words differ between two revisions of the same original text."""
    old, new = (
        {unedited_place(Span(it.start, it.end), revision.edits): it for it in revision.report.sentences}
        for revision in (before, after)
    )
    changes = []
    for place in sorted({*old, *new}):
        was, now = old.get(place), new.get(place)
        if was is None or now is None or (was.status, was.text) != (now.status, now.text):
            changes.append(SentenceChange(place.of(after.original), was, now, _reasons(place, now, after)))
    return changes


def _reasons(place: Span, sentence: Sentence | None, revision: Revision) -> str:
    """Tells why the sentence at `place` has its status: edits, checks, quotes, open words."""
    asked = {it.id for it in revision.queries if place.overlaps(Span(it.start, it.end))}
    edits = [it for it in revision.edits if it.query_id in asked]
    reasons = [f"“{it.old}” → “{it.new}” {it.state}: {it.reason}" for it in edits]
    reasons += [it.reason for it in revision.checks if it.query_id in asked and it.reason]
    if sentence is not None:
        reasons += [f"quote {quote.side}: “{quote.text}”" for quote in sentence.quotes]
        reasons += [f"open: {', '.join(sentence.open_words)}"] if sentence.open_words else []
    return "; ".join(dict.fromkeys(reasons))
