"""Judges sentences by the passages of the report, and scores attribution by these and by all evidence."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.ais_scores import auto_ais, best_support
from rarr.ledger.evidence_selection import Place, place_of
from rarr.ledger.preservation import f1_ap
from rarr.ledger.sentence_support import evidence_support
from rarr.records import Evidence, Notice, Scores
from rarr.state import SentenceSupport, State, usable
from rarr.tools.models.run_budget import meter

_Supports = list[float | None]


class JudgedTexts(NamedTuple):
    """The sentences of a text before and after its edits, with their support."""

    before: list[SentenceSupport]
    after: list[SentenceSupport]


async def judged_by_report(
    node: str, state: State, text: str, supports: Sequence[SentenceSupport], components: Components
) -> tuple[list[SentenceSupport], list[Notice]]:
    """Judges each sentence of `text` by each passage of the report that it was not judged by before.

    Returns the sentences with all their support, and a notice for each passage that could not be judged.
    Judging may go on a little after the deadline.
    """
    ids = _ids_by_place(usable(state))
    chosen = set(state["report"].evidence_ids)
    lacking = {
        passage: numbers
        for passage in usable(state)
        if passage.id in chosen
        and (
            numbers := [
                n for n, it in enumerate(supports) if it.by_evidence.keys().isdisjoint(ids[place_of(passage)])
            ]
        )
    }
    outcomes = await asyncio.gather(
        *(
            evidence_support(
                node,
                text,
                state["context"],
                [supports[n].span for n in numbers],
                passage,
                components,
                meter().grace,
            )
            for passage, numbers in lacking.items()
        )
    )
    tables = [dict(support.by_evidence) for support in supports]
    for (passage, numbers), (judged, _) in zip(lacking.items(), outcomes, strict=True):
        for n, value in zip(numbers, judged, strict=True):
            tables[n][passage.id] = value
    full = [support._replace(by_evidence=table) for support, table in zip(supports, tables, strict=True)]
    return full, [notice for _, notice in outcomes if notice is not None]


def attribution_scores(
    judged: JudgedTexts,
    evidence: Sequence[Evidence],
    report_ids: Sequence[str],
    preservation: float,
    intent: float | None,
) -> Scores:
    """Computes the scores of a revision from the support of its sentences before and after the edits.

    `evidence` is all evidence of the run, and `report_ids` are the ids of that in the report. Attribution is
    auto-AIS by the passages of the report (Gao et al. 2023, section 2.1), and beside it by all evidence. A
    sentence that could not be judged counts 0.
    """
    chosen, ids = set(report_ids), _ids_by_place(evidence)
    in_report = {name for passage in evidence if passage.id in chosen for name in ids[place_of(passage)]}
    before, after = _paired(*([_best(sentence, in_report) for sentence in text] for text in judged))
    all_before, all_after = _paired(*([_best(sentence) for sentence in text] for text in judged))
    return Scores(
        attribution_before=auto_ais(before),
        attribution_after=auto_ais(after),
        preservation=preservation,
        f1_ap=f1_ap(auto_ais(after), preservation),
        intent=intent,
        attribution_all_evidence_before=auto_ais(all_before),
        attribution_all_evidence_after=auto_ais(all_after),
    )


def _ids_by_place(evidence: Sequence[Evidence]) -> dict[Place, set[str]]:
    ids: dict[Place, set[str]] = defaultdict(set)
    for passage in evidence:
        ids[place_of(passage)].add(passage.id)
    return ids


def _best(sentence: SentenceSupport, within: set[str] | None = None) -> float | None:
    """Returns the best support by one evidence `within` these; 0 without one, and None if not judged.

    A sentence that was not searched for, and for which there is no evidence, is not judged.
    """
    if not sentence.searched and not sentence.by_evidence:
        return None
    return best_support([it for name, it in sentence.by_evidence.items() if within is None or name in within])


def _paired(before: _Supports, after: _Supports) -> tuple[_Supports, _Supports]:
    """Makes a sentence unjudged in both texts if it is in one, so that no failure looks like an edit.

    If an edit made more or fewer sentences, sentences cannot be paired. If nothing of one text could be
    judged, the other keeps its judgements.
    """
    if len(before) != len(after) or auto_ais(before) is None or auto_ais(after) is None:
        return before, after
    pairs = [(None, None) if None in pair else pair for pair in zip(before, after, strict=True)]
    return [b for b, _ in pairs], [a for _, a in pairs]
