"""The gate: `decide` accepts, suggests or refuses a proposed edit, from any editor, and gives the reason."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.edit_faithfulness import Wording
from rarr.ledger.edit_limits import may_cross_sentences, out_of_bounds, sentence_of
from rarr.ledger.edit_trial import Trial
from rarr.ledger.passages_about_something_else import has_another_value, other_context
from rarr.ledger.replaced_subjects import description_not_said, is_subject_told_otherwise
from rarr.ledger.sentence_support import moved_place
from rarr.ledger.source_weight import Side, relevant_beside
from rarr.records import Agreement, Change, Check, EditState, Evidence, Query
from rarr.settings import Kind
from rarr.state import State
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span


class Decision(NamedTuple):
    """The decision about an edit of `sentence`.

    `refusal` is the reason to refuse the edit, and `doubt` the reason to suggest it only; both are empty for
    an accepted edit. `checks` are the checks that were asked again on the edited text.
    """

    sentence: Span | None
    refusal: str
    checks: tuple[Check, ...] = ()
    doubt: str = ""

    @property
    def state(self) -> EditState:
        """`refused` if there is a refusal, else `suggested` if there is a doubt, else `accepted`."""
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
    """Decides whether `change`, proposed for `check`, is accepted, suggested or refused.

    `checks` are all checks of `query` on the current text. In this order: the limits of the settings; the
    wording of the edit; the support of its sentence and of the sentences after it; the check of the evidence,
    asked again on the edited text; the other sources. Without the setting `verify`, only the limits count,
    and the confidence of the check.
    """
    settings = components.settings
    sentence = await work(partial(sentence_of, text, change, across=may_cross_sentences(settings)))
    refusal = await work(out_of_bounds, text, sentence, change, settings)
    if change.start < state.get("lead", 0):
        refusal = refusal or "the change is not in this part of the text"
    doubt = _doubt(check, settings.accept_confidence)
    if refusal or sentence is None or not settings.verify:
        return Decision(sentence, refusal, doubt=doubt)
    evidence = {passage.id: passage for passage in state["evidence"]}
    source = evidence[check.evidence_id]
    trial = Trial(text, sentence, change, state["context"], components)
    about = (text, sentence, change, query, check, source)
    wording = await work(Wording, *about) if components.baseline.agreement else None
    if wording is not None and (refusal := await work(wording.refusal)):
        return Decision(sentence, refusal)
    if wording is not None and not query.follows:
        doubt = doubt or await work(_otherwise, trial, wording, source)
    # Reordered words have about the same support, and "some" about that of "all": a rise proves nothing.
    is_alike = wording is not None and (wording.is_reordering or wording.restates)
    find_refusal = trial.refusal_of_loss if query.follows or is_alike else trial.refusal_of_correction
    if refusal := await find_refusal(source, state, queries):
        return Decision(sentence, refusal)
    others = [] if query.follows else _other_disagreeing(checks, source, evidence)
    asked = ([source] if wording is not None else []) + others
    agreements = await trial.checks(query, asked)
    again = {passage.id: agreement for passage, agreement in zip(asked, agreements, strict=True)}
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
    return Decision(sentence, refusal, tuple(rechecked), doubt)


def _doubt(check: Check, least: float) -> str:
    """Returns the reason to suggest the edit only: the confidence of `check` is below `least`.

    Empty if it is not, or if it was not measured.
    """
    if check.confidence is None or check.confidence >= least:
        return ""
    return f"{check.reason}; of such edits {check.confidence:.0%} were right where it was measured"


def _otherwise(trial: Trial, wording: Wording, source: Evidence) -> str:
    """Returns the reason to suggest the edit only: the source may tell about something else; else empty.

    Or the source may give another value instead, where the edit changes another word.
    """
    edited = moved_place(trial.sentence, [trial.change])
    if word := other_context(trial.revised, edited, source):
        return f"the evidence does not say {word!r}, so it may tell about something else"
    if description_not_said(wording.before, wording.changed, wording.answer, source):
        return "the evidence does not say that its subject is of the kind that the sentence tells of"
    if is_subject_told_otherwise(wording.before, wording.changed, source):
        return "the evidence tells something else of the subject, so another word may be wrong"
    if has_another_value(wording.before, wording.changed, source):
        return "the evidence has the other words of the sentence too, with another value"
    return ""


def _still_disagrees(again: Agreement, *, must_agree: bool) -> str:
    """Returns the reason to refuse, if the evidence disagrees with the edited text; else empty.

    With `must_agree`, a check that does not agree is a reason too.
    """
    if again.verdict == "disagrees":
        answer = f": it says {again.evidence_answer[:60]!r}" if again.evidence_answer else ""
        return f"asked again about the edited text, the evidence still disagrees{answer}"
    if must_agree and again.verdict != "agrees":
        return f"asked again about the edited text, the evidence does not confirm it: {again.verdict}"
    return ""


def _other_disagreeing(
    checks: Sequence[Check], source: Evidence, evidence: Mapping[str, Evidence]
) -> list[Evidence]:
    """Selects the evidence except `source` that disagrees with the text and is relevant enough."""
    disagreeing = {check.evidence_id for check in checks if check.verdict == "disagrees"}
    relevant = relevant_beside([evidence[check.evidence_id] for check in checks], source)
    return [passage for passage in relevant if passage.id in disagreeing and passage.id != source.id]


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
    """Returns the reason to refuse an edit because of other sources that agree with the text or with neither.

    `others` disagree with the text, like `source`. A source that disagrees without an answer prevents the
    edit only if it also disagrees with the edited text. Empty if the sources for the edit weigh more.
    """
    agreed = {check.evidence_id for check in checks if check.verdict == "agrees"}
    named = {check.evidence_id for check in checks if check.evidence_answer}
    relevant = relevant_beside([evidence[check.evidence_id] for check in checks], source)
    agreeing = [passage for passage in relevant if passage.id in agreed]
    ours = Side([source, *(passage for passage in others if again[passage.id].verdict == "agrees")], kinds)
    if agreeing and not ours.outweighs(Side(agreeing, kinds), query.text):
        return f"sources disagree: {agreeing[0].id} agrees with the text"
    if unjudged := [
        passage for passage in others if again[passage.id].verdict == "unknown" and passage.id in named
    ]:
        return f"whether {unjudged[0].id} says {change.new!r} as well could not be judged"
    against = [passage for passage in others if again[passage.id].verdict == "disagrees"]
    if against and not ours.outweighs(Side(against, kinds), query.text):
        return f"sources disagree among themselves: {against[0].id} does not say {change.new!r} either"
    return ""
