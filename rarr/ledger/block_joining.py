"""Joins the runs of a long text's blocks into one: moves places, builds one report and one set of scores."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from rarr.ledger.evidence_selection import select_evidence
from rarr.ledger.scores import scores_of, unjudged_report
from rarr.records import Edit, Notice, Part, Query, Report, Scores, Sentence
from rarr.records.cards_and_edits import pres_lev
from rarr.state import State, usable
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.long_text_blocks import TextBlock

CUT = "budget_exhausted"
"""The code of the warning that a limit of the run has left something out."""
NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="nothing is stated that a source could support: give whole sentences",
    node="generate_queries",
)

_Placed = TypeVar("_Placed", Query, Edit, Sentence, Part)


class BlockRun(NamedTuple):
    """A block with the last state of its run, or the state of a block that was not revised."""

    block: TextBlock
    state: State

    @property
    def cut(self) -> bool:
        """Has a limit of the run left something out? A block that is too long to revise does not count."""
        return any(notice.code == CUT for notice in self.state["warnings"])

    @property
    def done(self) -> int:
        """The number of sentences that were revised and judged; all of them if nothing was left out."""
        judged = [it for it in self.state.get("report", Report()).sentences if it.status != "unjudged"]
        return len(judged if self.cut else self.block.sentences)


def unread_block(text: str, block: TextBlock) -> State:
    """Makes the state of a block of `text` that was not revised: its sentences are unjudged."""
    own, spans = block.span.of(text), [it.moved(-block.span.start) for it in block.sentences]
    is_cut = bool(spans) and not block.too_long
    cut = Notice(code=CUT, message="not reached", node="")
    return State(text=own, lead=0, report=unjudged_report(own, spans), warnings=[cut] * is_cut)


def joined_blocks(start: State, runs: Sequence[BlockRun], report_size: int) -> State:
    """Joins the states of the blocks, in the order of the text, into that of the run that began with `start`.

    The places of a block's edits count the edits of the blocks before it. A passage serves its own block
    alone.
    """
    whole: dict[str, Any] = {name: [] for name in ("queries", "evidence", "checks", "edits", "controls")}
    original, relevances, at, grown = start["original"], dict[str, dict[str, float]](), 0, 0
    parts, report = list[tuple[str, str]](), list[Sentence]()
    before, after = list[float | None](), list[float | None]()
    for block, state in runs:
        text, lead, place = state["text"], state["lead"], block.span
        shift, new = place.start - lead, text[lead:]
        whole["queries"] += moved_records(state.get("queries", []), shift)
        whole["edits"] += moved_records(state.get("edits", []), shift + grown)
        for name in ("evidence", "checks", "controls"):
            whole[name] += cast(dict[str, Any], state).get(name, [])
        relevances |= state.get("relevances", {})
        found = state.get("report") or unjudged_report(
            text, [it for it in sentences(text) if it.start >= lead]
        )
        report += moved_records(found.sentences, shift + grown)
        missing: list[float | None] = [None] * len(block.sentences)
        attributed = state.get("attributed", (missing, missing))
        before, after = before + attributed[0], after + attributed[1]
        parts += [(original[at : place.start],) * 2, (place.of(original), new)]
        at, grown = place.end, grown + len(new) - (place.end - place.start)
    parts.append((original[at:],) * 2)
    is_scored = any("attributed" in state for _, state in runs)
    chosen, coverage = select_evidence(usable(cast(State, whole)), report_size, relevances)
    joined = {
        **start,
        **whole,
        "text": "".join(new for _, new in parts),
        "report": Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=tuple(report)),
        "scores": scores_of((before, after), pres_lev(*parts)) if is_scored else Scores(),
        "warnings": [*start["warnings"], *_warnings(runs)],
    }
    return cast(State, joined)


def moved_records(records: Iterable[_Placed], by: int) -> list[_Placed]:
    """Moves records, and the parts of sentences, by so many characters."""
    moved = []
    for record in records:
        update: dict[str, Any] = {"start": record.start + by, "end": record.end + by}
        if isinstance(record, Sentence):
            update["parts"] = tuple(moved_records(record.parts, by))
        moved.append(record.model_copy(update=update))
    return moved


def _warnings(runs: Sequence[BlockRun]) -> list[Notice]:
    """Collects each warning once, without those about limits: the whole run gives its own."""
    distinct: dict[tuple[str, str, str, str | None], Notice] = {}
    for notice in (it for _, state in runs for it in (*state["warnings"], *state.get("told", []))):
        if notice.code not in (CUT, NOTHING_TO_CHECK.code):
            query_id = None if notice.code == "suspicious_evidence" else notice.query_id
            distinct.setdefault((notice.code, notice.message, notice.node, query_id), notice)
    asked = any(state.get("queries") for _, state in runs)
    unread = any(run.cut or (run.block.too_long and run.block.sentences) for run in runs)
    return [*([] if asked or unread else [NOTHING_TO_CHECK]), *distinct.values()]
