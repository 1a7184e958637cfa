"""Asks a judge how well evidence supports sentences, and computes the scores of revisions and citations.

A support is None if it was not judged. None counts as 0 in attribution. Measures of citations ignore None.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from rarr.components import Components
from rarr.ledger.evidence_selection import PassagePlace, place_of
from rarr.records import Evidence, Notice, Query, Report, Scores, Sentence, Status
from rarr.records.citations import CitationScores
from rarr.state import Attributed, SentenceSupport, State, failure_notice, usable_evidence
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.trace_spans import spans_about


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Computes auto-AIS, the mean support of all sentences (Gao et al. 2023, section 2.1).

    `supports` has for each sentence the best support by one passage of the report, from 0 to 1. A support of
    None was not judged, and counts as 0. Returns None if no sentence could be judged.
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(supports) if judged else None


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """Returns the harmonic mean of attribution and preservation (Gao et al. 2023); None if either is None."""
    if attribution is None or preservation is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0


def scores_of(attributed: Attributed, preservation: float) -> Scores:
    """Scores a revision by the support of its sentences before and after the edits.

    If a sentence could not be judged in one of the two texts, it counts as 0 in both: a failed judgement is
    not an edit. Each text is scored alone if edits changed the number of sentences, or if no sentence of one
    text could be judged.
    """
    before, after = attributed
    if len(before) == len(after) and None not in map(auto_ais, attributed):
        pairs = [(None, None) if None in pair else pair for pair in zip(before, after, strict=True)]
        before, after = [b for b, _ in pairs], [a for _, a in pairs]
    return Scores(
        attribution_before=auto_ais(before),
        attribution_after=auto_ais(after),
        preservation=preservation,
        f1_ap=f1_ap(auto_ais(after), preservation),
    )


def citation_scores(alone: Sequence[Sequence[bool | None]], words: Sequence[int]) -> CitationScores:
    """Computes the measures of citations of WikiGenBench (Zhang et al. 2024).

    `alone` has for each sentence a list: whether each of its citations alone entails it. `words` has the
    number of words of each sentence. Recall is the share of sentences that a citation entails. Precision is
    the mean over sentences of the share of their citations that entail them (0 without citations). Rate is
    the share of words in sentences that a citation entails.
    """
    entailed = [any(each) or (None if None in each else False) for each in alone]
    judged = [count for is_entailed, count in zip(entailed, words, strict=True) if is_entailed is not None]
    cited = [count for is_entailed, count in zip(entailed, words, strict=True) if is_entailed]
    return CitationScores(
        recall=_mean(entailed),
        precision=_mean([_mean(each) if each else 0.0 for each in alone]),
        rate=sum(cited) / sum(judged) if sum(judged) else None,
        sentences=len(alone),
        unjudged=sum(None in each for each in alone),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    return sum(judged) / len(judged) if (judged := [it for it in values if it is not None]) else None


async def sentence_support(
    node: str,
    state: State,
    text: str,
    queries: Sequence[Query],
    report_ids: Collection[str],
    components: Components,
) -> tuple[list[SentenceSupport], list[Notice]]:
    """Asks the verifier for the support of each sentence of `text`. `queries` have places in `text`.

    Returns the supports, and a notice for each evidence that could not be judged. Evidence in `report_ids` is
    compared with all sentences (Gao et al. 2023, section 2.1), other evidence only with the sentences of its
    query and their neighbours. Judging may continue for a short time after the deadline.
    """
    failed, grace, notices = state.get("unsearched", {}).keys(), meter().grace_s, list[Notice]()
    supports = list[SentenceSupport]()
    for span in (it for it in await work(sentences, text) if it.start >= state.get("lead", 0)):
        ids = tuple(it.id for it in queries if span.overlaps(Span(it.start, it.end)))
        supports.append(SentenceSupport(span, {}, ids, searched=bool(ids) and failed.isdisjoint(ids)))

    async def judge(evidence: Evidence, judged: Sequence[SentenceSupport]) -> None:
        scores: Sequence[float | None] = [None] * len(judged)
        try:
            with spans_about(evidence.id):
                async with meter().in_time(grace):
                    places = [it.span for it in judged]
                    scores = await components.verifier.support(text, state["context"], places, evidence)
        except Exception as error:
            what, query_id = f"support by {evidence.source} could not be judged", evidence.query_id
            notices.append(failure_notice(node, what, error, code="verification_failed", query_id=query_id))
        for support, score in zip(judged, scores, strict=True):
            support.by_evidence[evidence.id] = score

    near = await work(_sentences_by_evidence, usable_evidence(state), supports, report_ids)
    await asyncio.gather(*(judge(passage, judged) for passage, judged in near))
    return supports, notices


def _sentences_by_evidence(
    evidence: Sequence[Evidence], supports: Sequence[SentenceSupport], report_ids: Collection[str]
) -> list[tuple[Evidence, list[SentenceSupport]]]:
    """Returns pairs of a passage and the sentences to compare with it. Uses passages at one place once."""
    first: dict[PassagePlace, Evidence] = {}
    near: dict[PassagePlace, set[int]] = defaultdict(set)
    for passage in evidence:
        place = place_of(passage)
        is_chosen = first.setdefault(place, passage).id in report_ids
        for number in range(len(supports)):
            around = supports[max(0, number - 1) : number + 2]
            if is_chosen or any(passage.query_id in it.query_ids for it in around):
                near[place].add(number)
    return [(first[place], [supports[it] for it in sorted(numbers)]) for place, numbers in near.items()]


def best_support(support: SentenceSupport, report_ids: Collection[str] | None = None) -> float | None:
    """Returns the highest support of a sentence by one passage; with `report_ids`, only by these passages.

    Returns 0 without such a passage, and None if nothing was searched or no such passage could be judged.
    """
    if not support.searched and not support.by_evidence:
        return None
    scores = [it for name, it in support.by_evidence.items() if report_ids is None or name in report_ids]
    return max((score for score in scores if score is not None), default=None) if scores else 0.0


def judged_sentences(
    state: State, supports: Sequence[SentenceSupport], threshold: float
) -> tuple[Sentence, ...]:
    """Makes the sentence records of a run without cards. `threshold`: the least support for `supported`."""
    disagreeing = [it for it in state.get("checks", []) if not it.stale and it.verdict == "disagrees"]
    judged = []
    for support in supports:
        scores = {name: score for name, score in support.by_evidence.items() if score is not None}
        best = max(scores, key=lambda name: scores[name], default="")
        ids = [it.evidence_id for it in disagreeing if it.query_id in support.query_ids]
        if ids:
            status: Status = "contradicted"
        elif best and scores[best] >= threshold:
            status, ids = "supported", [best]
        elif "failed" in reasons_unsearched(state, support.query_ids):
            status = "retrieval_failed"
        elif not support.searched or len(scores) < len(support.by_evidence):
            status = "unjudged"  # a sentence without a judgement is not called unconfirmed
        else:
            status = "unconfirmed" if scores else "no_evidence"
        text, cited = support.span.of(state["text"]), tuple(dict.fromkeys(ids))
        facts = {**support.span._asdict(), "support": best_support(support)}
        judged.append(Sentence(text=text, status=status, evidence_ids=cited, **facts))
    return tuple(judged)


def unjudged_report(text: str, spans: Iterable[Span]) -> Report:
    """Makes the report of a text that could not be judged: every sentence is unjudged."""
    unjudged = (Sentence(text=it.of(text), **it._asdict(), status="unjudged") for it in spans)
    return Report(sentences=tuple(unjudged))


def reasons_unsearched(state: State, query_ids: Sequence[str]) -> set[str]:
    """Returns the reasons why these queries were not searched: `failed`, or `cut` by a limit of the run."""
    unsearched = state.get("unsearched", {})
    return {unsearched[query_id] for query_id in query_ids if query_id in unsearched}
