"""Makes the revision of a run from its last state, with its usage and warnings."""

from collections.abc import Sequence
from dataclasses import asdict

from rarr.records import ModelUsage, NodeUsage, Notice, Report, Revision, Scores, Sentence, Usage
from rarr.records.usage import Controls
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.models.run_budget import Budget, Meter
from rarr.tools.text.blocks_and_sentences import sentences

WRITING = ("ask_topic", "plan", "write_section", "write_article", "cite")
REVISING = (
    *("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "rewrite"),
    *("attribute", "evaluate"),
)
NODES = ("find_triples", *WRITING, *REVISING, "write_answer", "check_statements")
"""The nodes in the order of the usage, which must not depend on the block that reached a node first."""


def revision_of(run_id: str, state: State, meter: Meter) -> Revision:
    """Builds the revision of a run that is done, or that stopped at a limit.

    Without a report in the state, all sentences are unjudged. Each warning comes once.
    """
    text = state["text"]
    return Revision(
        run_id=run_id,
        original=state["original"],
        text=text,
        changed=text != state["original"],
        queries=tuple(state.get("queries", ())),
        evidence=tuple(state.get("evidence", ())),
        checks=tuple(state.get("checks", ())),
        edits=tuple(state.get("edits", ())),
        report=state.get("report") or _unjudged(text),
        scores=state.get("scores", Scores()),
        usage=usage_of(meter).model_copy(
            update={"controls": sum(state.get("controls", ()), start=Controls())}
        ),
        warnings=tuple(_distinct([*state["warnings"], *state.get("told", []), *meter.warnings])),
    )


def _unjudged(text: str) -> Report:
    return Report(
        sentences=tuple(
            Sentence(text=span.of(text), start=span.start, end=span.end, status="unjudged")
            for span in sentences(text)
        )
    )


def budget_of(settings: Settings) -> Budget:
    """Takes the limits of one run from the settings."""
    return Budget(
        max_calls=settings.max_calls,
        max_tokens=settings.max_tokens,
        max_cost=settings.max_cost,
        deadline_s=settings.deadline_s,
    )


def usage_of(meter: Meter) -> Usage:
    """Reads the usage of a run so far, in total and by node, from its meter."""
    called = sorted(meter.by_node, key=lambda node: NODES.index(node) if node in NODES else len(NODES))
    by_node = {node: NodeUsage(**asdict(meter.by_node[node])) for node in called}
    total = {name: value for name, value in asdict(meter.total).items() if name in ModelUsage.model_fields}
    return Usage(**total, seconds=meter.seconds, by_node=by_node)


def _distinct(notices: Sequence[Notice]) -> list[Notice]:
    """Removes repeated notices: an exhausted budget fails every remaining question with the same notice."""
    return list({notice.model_dump_json(): notice for notice in notices}.values())
