"""Checks agreement by the encoder: it points at what the passage has in a value's place; the rules compare.

A cloze reader (Glass et al. 2020) ties values to their roles. The rules decide whether two values differ,
and whether the passage is about the claim's subject. A calibration combines both; it abstains rather than
contradicts wrongly. With the weights that ship, no other value is sure enough to be named; they show only
that the claim as a whole is contradicted.
"""

from collections.abc import Mapping
from functools import partial

from rarr.backends.encoder.calibration_features import (
    WeighedValue,
    claim_features,
    could_contradict,
    is_open,
    ruled_values,
    weighed_values,
)
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import Calibration
from rarr.backends.encoder.pointed_values import claim_attribution
from rarr.backends.rules.agreement import agreement_unless_namesake, queried_value, query_agreement
from rarr.backends.rules.candidate_value_filters import denies_other_values, has_rival
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.values_given_as_bounds import is_answered_by_a_bound
from rarr.records import Agreement, Evidence, Query
from rarr.tools.concurrency.thread_safe_cache import Remembered
from rarr.tools.concurrency.worker_threads import encode
from rarr.tools.text.blocks_and_sentences import Span

REMEMBERED = 1024  # pairs of a claim and a passage


class TrainedAgreement:
    """An agreement checker that asks the encoder what evidence has in the place of the value of a query."""

    def __init__(self, encoder: Encoder) -> None:
        # Each query about a claim asks for one of its values, and all queries run at the same time.
        self._verdicts = Remembered(partial(_verdicts, encoder), REMEMBERED)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Compares the value that `query` asks for with `evidence`, by the rules and the encoder.

        `unknown` if the query asks for no value that the rules can parse, or if nothing is sure.
        """
        return await encode(self._agreement, text, context, query, evidence)

    def _agreement(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        asked = queried_value(text, context, query)
        if asked is None:
            return query_agreement(text, context, query, evidence)
        claim, value = asked
        [verdicts] = self._verdicts([(text, context, claim.span, evidence.title, evidence.text)])
        return agreement_unless_namesake(verdicts[value[:2]], text, context, evidence)


def _verdicts(
    encoder: Encoder, asked: tuple[str, str | None, Span, str, str]
) -> Mapping[tuple[int, int], Agreement]:
    text, context, span, title, evidence = asked
    claim = next(claim_here for claim_here in claims(text, context) if claim_here.span == span)
    return claim_verdicts(encoder, text, claim, title, evidence)


def claim_verdicts(
    encoder: Encoder, text: str, claim: Claim, title: str, evidence: str
) -> Mapping[tuple[int, int], Agreement]:
    """Decides for each value of the claim that a query can ask for whether `evidence` agrees.

    Returns the agreements by the place of the value in the claim. The rules decide alone if the encoder
    cannot read the whole claim, if the evidence is about something else, and if the evidence denies or
    doubts something, which the encoder does not see. If only the claim as a whole is contradicted, the value
    that is most likely wrong gets `disagrees`; values that the rules do not confirm come first.
    """
    ruled, fitted = ruled_values(text, claim, title, evidence), encoder.calibration
    decided = {item.value[:2]: item.rules for item in ruled}
    beside = parsed_passage(evidence, title)
    readable = any(item.about for item in ruled) and beside.is_plain
    judged = claim_attribution(encoder, claim, title, evidence) if readable else None
    if judged is None or not could_contradict(fitted, judged, ruled):
        return decided
    values = weighed_values(encoder, claim, title, evidence, judged, ruled)
    decided |= {item.ruled.value[:2]: _decided(text, fitted, item) for item in values}
    features = claim_features(fitted.disagrees, fitted.agrees, judged, values)
    is_told = any(item.verdict == "disagrees" for item in decided.values())
    if not is_told and is_open(ruled) and fitted.contradicts.holds(features):
        unconfirmed = [item for item in values if item.ruled.rules.verdict != "agrees"] or values
        worst = max(unconfirmed, key=lambda item: fitted.disagrees.probability(item.features)).ruled
        if not has_rival(claim.sentence, worst.value, beside):
            return decided
        if denies_other_values(worst.value, beside) or is_answered_by_a_bound(claim, worst.value, beside):
            return decided
        decided[worst.value[:2]] = Agreement(
            verdict="disagrees",
            text_answer=worst.place.of(text),
            reason="the evidence contradicts the sentence",
            confidence=fitted.contradicts.probability(features),
        )
    return decided


def _decided(text: str, fitted: Calibration, weighed: WeighedValue) -> Agreement:
    if weighed.ruled.settled or not weighed.other.text or not fitted.disagrees.holds(weighed.features):
        return weighed.ruled.rules
    claimed = weighed.ruled.place.of(text)
    return Agreement(
        verdict="disagrees",
        text_answer=claimed,
        evidence_answer=weighed.other.text,
        reason=f"the evidence has {weighed.other.text!r} where the text has {claimed!r}",
        confidence=fitted.disagrees.probability(weighed.features),
    )
