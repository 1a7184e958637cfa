"""Joins the runs of a long text's blocks into one: shifts places, builds one report and one set of scores."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from rarr.ledger.evidence_selection import select_evidence
from rarr.ledger.scores import scores_of
from rarr.records import Edit, Notice, Part, Query, Report, Scores, Sentence
from rarr.records.edits import pres_lev_by_parts
from rarr.state import State, usable
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.long_text_blocks import TextBlock

CUT = "budget_exhausted"
"""The code of the warning that a limit of the run has left something out."""
NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="the text holds no claim to ask about: it is returned unchanged and unjudged",
    node="generate_queries",
)

_Placed = TypeVar("_Placed", Query, Edit, Sentence, Part)


class BlockOutcome(NamedTuple):
    """A block, and the last state of its run; None where the block was not revised."""

    block: TextBlock
    state: State | None

    @property
    def cut(self) -> bool:
        """Has a limit of the run left something out? A block that is too long to revise does not count."""
        if self.state is None:
            return bool(self.block.sentences) and not self.block.too_long
        return any(notice.code == CUT for notice in self.state["warnings"])

    @property
    def done(self) -> int:
        """The number of sentences that were revised and judged; all of them if nothing was left out."""
        if not self.cut:
            return len(self.block.sentences)
        report = (self.state or {}).get("report") or Report()
        return sum(sentence.status != "unjudged" for sentence in report.sentences)

    def completed(self, original: str) -> State:
        """Returns the last state; without a report, the sentences of the block are unjudged."""
        block, state = self
        missing: list[float | None] = [None] * len(block.sentences)
        if state is None:
            state = State(text=block.span.of(original), lead=0, warnings=[])
            spans = [span.moved(-block.span.start) for span in block.sentences]
        else:
            spans = [] if "report" in state else list(sentences(state["text"]))
        report = unjudged_report(state["text"], [it for it in spans if it.start >= state["lead"]])
        return cast(State, {"attributed": (missing, missing), "report": report, **state})


def block_state(text: str, context: str | None, number: int, span: Span, lead: str) -> State:
    """Builds the state with which the run of a block of `text` begins.

    `span` is the place of the block. `lead` is text that is put before the block and is not revised.
    """
    whole = lead + span.of(text)
    facts = State(original=whole, text=whole, context=context, round=1, warnings=[])
    return {**facts, "block": number, "lead": len(lead)}


def join_blocks(start: State, outcomes: Sequence[BlockOutcome], report_size: int) -> State:
    """Joins the states of the blocks into the state of the whole run, which began with `start`.

    `outcomes` are in the order of the text; the sentences of a block without a state become `unjudged`. The
    places of a block's edits count the edits of the blocks before it. A passage serves its own block alone.
    """
    whole: dict[str, Any] = {name: [] for name in ("queries", "evidence", "checks", "edits", "controls")}
    original, unsearched, relevances = start["original"], dict[str, Any](), dict[str, Any]()
    parts, report_sentences = list[tuple[str, str]](), list[Sentence]()
    before, after = list[float | None](), list[float | None]()
    at = grown = 0
    for outcome in outcomes:
        state, place = outcome.completed(original), outcome.block.span
        new, shift = state["text"][state["lead"] :], place.start - state["lead"]
        whole["queries"] += moved_records(state.get("queries", []), shift)
        whole["edits"] += moved_records(state.get("edits", []), shift + grown)
        for name in ("evidence", "checks", "controls"):
            whole[name] += cast(dict[str, Any], state).get(name, [])
        unsearched |= state.get("unsearched", {})
        relevances |= state.get("relevances", {})
        report_sentences += moved_records(state["report"].sentences, shift + grown)
        before, after = before + state["attributed"][0], after + state["attributed"][1]
        parts += [(original[at : place.start],) * 2, (place.of(original), new)]
        at, grown = place.end, grown + len(new) - (place.end - place.start)
    parts.append((original[at:],) * 2)
    states = [state for _, state in outcomes if state is not None]
    is_scored = any("attributed" in state for state in states)
    evidence_ids, coverage = select_evidence(usable(cast(State, whole)), report_size, relevances)
    report = Report(evidence_ids=tuple(evidence_ids), coverage=coverage, sentences=tuple(report_sentences))
    joined = {
        **start,
        **whole,
        "unsearched": unsearched,
        "text": "".join(new for _, new in parts),
        "round": max((state.get("round", 1) for state in states), default=1),
        "report": report,
        "scores": scores_of((before, after), pres_lev_by_parts(parts)) if is_scored else Scores(),
        "warnings": [*start["warnings"], *_warnings(outcomes, states)],
    }
    return cast(State, joined)


def unjudged_report(text: str, spans: Iterable[Span]) -> Report:
    """Makes the report of a text that could not be judged."""
    unjudged = (Sentence(text=it.of(text), **it._asdict(), status="unjudged") for it in spans)
    return Report(sentences=tuple(unjudged))


def moved_records(records: Iterable[_Placed], by: int) -> list[_Placed]:
    """Moves records, and the parts of sentences, by so many characters."""
    moved = []
    for record in records:
        update: dict[str, Any] = {"start": record.start + by, "end": record.end + by}
        if isinstance(record, Sentence):
            update["parts"] = tuple(moved_records(record.parts, by))
        moved.append(record.model_copy(update=update))
    return moved


def _warnings(outcomes: Sequence[BlockOutcome], states: Sequence[State]) -> list[Notice]:
    """Collects each warning once, without those about limits: the whole run gives its own."""
    distinct: dict[tuple[str, str, str, str | None], Notice] = {}
    for notice in (notice for state in states for notice in (*state["warnings"], *state.get("told", []))):
        if notice.code not in (CUT, NOTHING_TO_CHECK.code):
            query_id = None if notice.code == "suspicious_evidence" else notice.query_id
            distinct.setdefault((notice.code, notice.message, notice.node, query_id), notice)
    asked = any(state.get("queries") for state in states)
    unread = any(outcome.cut or (outcome.block.too_long and outcome.block.sentences) for outcome in outcomes)
    return [*([] if asked or unread else [NOTHING_TO_CHECK]), *distinct.values()]
