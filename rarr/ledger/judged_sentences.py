"""Gives sentences that were not read as cards their statuses: by a verifier, and by checks of the queries."""

from collections.abc import Sequence

from rarr.ledger.sentence_support import Support
from rarr.ledger.source_weight import Side
from rarr.records import Check, Evidence, Sentence, Status, Verdict
from rarr.settings import Settings
from rarr.state import State, usable


def judged_sentences(state: State, supports: Sequence[Support], settings: Settings) -> tuple[Sentence, ...]:
    """Gives each sentence of the current text its status, with the evidence that decides it."""
    checks = [check for check in state.get("checks", []) if not check.stale]
    return tuple(_sentence(state, support, checks, settings) for support in supports)


def _sentence(state: State, support: Support, checks: Sequence[Check], settings: Settings) -> Sentence:
    own = [check for check in checks if check.query_id in support.query_ids]
    status, evidence_ids = _status(state, support, own, settings)
    return Sentence(
        text=support.span.of(state["text"]),
        start=support.span.start,
        end=support.span.end,
        status=status,
        evidence_ids=tuple(dict.fromkeys(evidence_ids)),
        support=support.best,
    )


def _status(
    state: State, support: Support, checks: Sequence[Check], settings: Settings
) -> tuple[Status, list[str]]:
    """Decides the status; what could not be searched or judged is never called unsupported."""
    passages = {passage.id: passage for passage in usable(state)}
    against, agreeing = (_passages(checks, verdict, passages) for verdict in ("disagrees", "agrees"))
    kinds, words = settings.source_kinds, support.span.of(state["text"])
    if against and not Side(agreeing, kinds).outweighs(Side(against, kinds), words):
        return "contradicted", [passage.id for passage in against]
    scores = {name: score for name, score in support.by_evidence.items() if score is not None}
    best = max(scores, key=lambda name: scores[name], default="")
    if best and scores[best] >= settings.support_threshold:
        return "supported", [best]
    missing = {state.get("unsearched", {}).get(query_id) for query_id in support.query_ids}
    if "failed" in missing:
        return "retrieval_failed", []
    if not support.searched or len(scores) < len(support.by_evidence):
        return "unjudged", []
    return ("unconfirmed" if support.by_evidence else "no_evidence"), []


def _passages(checks: Sequence[Check], verdict: Verdict, passages: dict[str, Evidence]) -> list[Evidence]:
    return [
        passages[check.evidence_id]
        for check in checks
        if check.verdict == verdict and check.evidence_id in passages
    ]
