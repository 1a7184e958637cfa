"""The gate: one function decides whether an edit is made, whoever proposed it, and says what refuses it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.limits import out_of_bounds, sentence_of
from rarr.ledger.recheck import Trial
from rarr.ledger.source_weight import Side, relevant_beside
from rarr.ledger.wording import Wording
from rarr.records import Agreement, Change, Check, EditState, Evidence, Query
from rarr.settings import Kind
from rarr.state import State
from rarr.tools.concurrency.worker import work
from rarr.tools.text.document import Span


class Decision(NamedTuple):
    """What becomes of an edit of `sentence`.

    `refusal` says why it is refused, and `doubt` why it is only suggested; both are empty where it is made.
    `checks` are those that were asked again on the edited text, to decide.
    """

    sentence: Span | None
    refusal: str
    checks: tuple[Check, ...] = ()
    doubt: str = ""

    @property
    def state(self) -> EditState:
        """What becomes of the edit."""
        return "refused" if self.refusal else "suggested" if self.doubt else "accepted"


async def decide(
    text: str,
    change: Change,
    query: Query,
    check: Check,
    checks: Sequence[Check],
    state: State,
    queries: Sequence[Query],
    components: Components,
) -> Decision:
    """Decides about `change`, proposed for `check`; `checks` are all of `query`, on `text` as it is.

    In this order: the limits of the settings; what the edit says; the support of what it touches; what the
    evidence says when it is asked again about the edited text; what other sources say. With `verify` off the
    limits alone hold.
    """
    settings, sentence = components.settings, await work(sentence_of, text, change)
    refusal = await work(out_of_bounds, text, sentence, change, settings)
    if change.start < state.get("lead", 0):
        refusal = refusal or "the change is not in this part of the text"
    if refusal or sentence is None or not settings.verify:
        return Decision(sentence, refusal)
    evidence = {one.id: one for one in state["evidence"]}
    source = evidence[check.evidence_id]
    about = (text, sentence, change, query, check, source)
    wording = await work(Wording, *about) if settings.agreement else None
    if wording is not None and (refusal := await work(wording.refusal)):
        return Decision(sentence, refusal)
    trial = Trial(text, sentence, change, state["context"], components)
    find_refusal = trial.refusal_of_follow_up if query.follows else trial.refusal_of_correction
    if refusal := await find_refusal(source, state, queries):
        return Decision(sentence, refusal)
    others = [] if query.follows else _other_disagreeing(checks, source, evidence)
    asked = ([source] if wording is not None else []) + others
    said = await trial.checks(query, asked)
    again = {one.id: agreement for one, agreement in zip(asked, said, strict=True)}
    if wording is not None:
        must_agree = bool(query.follows) or not wording.compares
        refusal = _still_disagrees(again[source.id], must_agree=must_agree)
    if not query.follows:
        refusal = refusal or await work(
            _outweighed, change, query, checks, source, others, evidence, again, settings.source_kinds
        )
    rechecked = (
        Check(**agreement.model_dump(), query_id=query.id, evidence_id=name)
        for name, agreement in again.items()
    )
    return Decision(sentence, refusal, tuple(rechecked), _doubt(check, settings.accept_confidence))


def _doubt(check: Check, least: float) -> str:
    """Why an edit for this check is only suggested: too few of its kind were right."""
    if check.confidence is None or check.confidence >= least:
        return ""
    return f"{check.reason}; of such edits {check.confidence:.0%} were right where it was measured"


def _still_disagrees(again: Agreement, *, must_agree: bool) -> str:
    """Where code cannot compare the answers, the evidence has to agree; else it must not disagree."""
    if again.verdict == "disagrees":
        its = f": it says {again.evidence_answer[:60]!r}" if again.evidence_answer else ""
        return f"asked again about the edited text, the evidence still disagrees{its}"
    if must_agree and again.verdict != "agrees":
        return f"asked again about the edited text, the evidence does not confirm it: {again.verdict}"
    return ""


def _other_disagreeing(
    checks: Sequence[Check], source: Evidence, evidence: Mapping[str, Evidence]
) -> list[Evidence]:
    """The other evidence that disagrees with the text as well, and bears on the matter."""
    disagreeing = {check.evidence_id for check in checks if check.verdict == "disagrees"}
    relevant = relevant_beside([evidence[check.evidence_id] for check in checks], source)
    return [one for one in relevant if one.id in disagreeing and one.id != source.id]


def _outweighed(
    change: Change,
    query: Query,
    checks: Sequence[Check],
    source: Evidence,
    others: Sequence[Evidence],
    evidence: Mapping[str, Evidence],
    again: Mapping[str, Agreement],
    kinds: Mapping[str, Kind],
) -> str:
    """Why the other sources hold an edit back: those for the text as it is, or for yet another answer.

    `others` disagree with the text as `source` does. A source that disagrees and names no answer holds the
    edit back only while it still disagrees.
    """
    agreed = {check.evidence_id for check in checks if check.verdict == "agrees"}
    named = {check.evidence_id for check in checks if check.evidence_answer}
    relevant = relevant_beside([evidence[check.evidence_id] for check in checks], source)
    agreeing = [one for one in relevant if one.id in agreed]
    ours = Side([source, *(one for one in others if again[one.id].verdict == "agrees")], kinds)
    if agreeing and not ours.outweighs(Side(agreeing, kinds), query.text):
        return f"sources disagree: {agreeing[0].id} agrees with the text"
    if unjudged := [one for one in others if again[one.id].verdict == "unknown" and one.id in named]:
        return f"whether {unjudged[0].id} says {change.new!r} as well could not be judged"
    against = [one for one in others if again[one.id].verdict == "disagrees"]
    if against and not ours.outweighs(Side(against, kinds), query.text):
        return f"sources disagree among themselves: {against[0].id} does not say {change.new!r} either"
    return ""
