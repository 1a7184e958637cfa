"""Joins the states of the blocks of a long text into one state. A long text is revised block by block."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from rarr.ledger.card_report import sentences_to_read
from rarr.ledger.edit_gate import moved_records, moved_sentences
from rarr.ledger.evidence_selection import select_evidence
from rarr.ledger.scores import scores_of, unjudged_report
from rarr.records import Notice, Report, Scores, Sentence
from rarr.records.cards_and_edits import pres_lev
from rarr.state import State, usable_evidence
from rarr.tools.text.long_text_blocks import TextBlock

CUT_CODE = "budget_exhausted"
"""The code of the warning that the run left out work because it reached a limit."""
NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="nothing is stated that a source could support: give whole sentences",
    node="generate_queries",
)


class BlockState(NamedTuple):
    """A block of a long text, and the state after its run (of `unread_block_state` if it had no run)."""

    block: TextBlock
    state: State

    @property
    def is_cut_by_limit(self) -> bool:
        """True if work on this block was left out because the run reached a limit."""
        return any(notice.code == CUT_CODE for notice in self.state["warnings"])

    @property
    def sentences_done(self) -> int:
        """The number of judged sentences if a limit cut the block, otherwise the number of all sentences."""
        judged = [it for it in self.state.get("report", Report()).sentences if it.status != "unjudged"]
        return len(judged if self.is_cut_by_limit else self.block.sentences)


def unread_block_state(text: str, block: TextBlock) -> State:
    """Makes the state of a block of `text` that was not revised: each sentence of the block is unjudged."""
    own, spans = block.span.of(text), [it.moved_by(-block.span.start) for it in block.sentences]
    is_cut = bool(spans) and not block.too_long
    cut = Notice(code=CUT_CODE, message="not reached", node="")
    return State(text=own, lead=0, report=unjudged_report(own, spans), warnings=[cut] * is_cut)


def join_block_states(start: State, runs: Sequence[BlockState], report_size: int) -> State:
    """Joins the states of all blocks, in text order, into the last state of a run, which began as `start`.

    Places in a block become places in the whole text. The report names at most `report_size` passages.
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
        found = state.get("report") or unjudged_report(text, sentences_to_read(state))
        report += moved_sentences(found.sentences, shift + grown)
        missing: list[float | None] = [None] * len(block.sentences)
        attributed = state.get("attributed", (missing, missing))
        before, after = before + attributed[0], after + attributed[1]
        parts += [(original[at : place.start],) * 2, (place.of(original), new)]
        at, grown = place.end, grown + len(new) - (place.end - place.start)
    parts.append((original[at:],) * 2)
    is_scored = any("attributed" in state for _, state in runs)
    chosen, coverage = select_evidence(usable_evidence(cast(State, whole)), report_size, relevances)
    joined = {
        **start,
        **whole,
        "text": "".join(new for _, new in parts),
        "report": Report(evidence_ids=tuple(chosen), coverage=coverage, sentences=tuple(report)),
        "scores": scores_of((before, after), pres_lev(*parts)) if is_scored else Scores(),
        "warnings": [*start["warnings"], *_distinct_warnings(runs)],
    }
    return cast(State, joined)


def _distinct_warnings(runs: Sequence[BlockState]) -> list[Notice]:
    """Returns each warning once, but none about limits. Adds `NOTHING_TO_CHECK` if no query was needed."""
    distinct: dict[tuple[str, str, str, str | None], Notice] = {}
    for notice in (it for _, state in runs for it in (*state["warnings"], *state.get("told", []))):
        if notice.code not in (CUT_CODE, NOTHING_TO_CHECK.code):
            query_id = None if notice.code == "suspicious_evidence" else notice.query_id
            distinct.setdefault((notice.code, notice.message, notice.node, query_id), notice)
    asked = any(state.get("queries") for _, state in runs)
    unread = any(run.is_cut_by_limit or (run.block.too_long and run.block.sentences) for run in runs)
    return [*([] if asked or unread else [NOTHING_TO_CHECK]), *distinct.values()]
