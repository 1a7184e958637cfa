"""Computes the scores of a revision, and those of the citations of an article.

None is what could not be judged. It counts 0 in attribution, and not at all in the measures of citations.
"""

from collections.abc import Sequence

from rarr.records import Scores
from rarr.records.articles import CitationScores
from rarr.state import Attributed


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over all sentences of the best entailment score by one evidence of the report.

    `supports` has one value for each sentence, between 0 and 1. A sentence that could not be judged counts
    0, since nothing attributes it; None if no sentence could be judged (Gao et al. 2023, section 2.1).
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(supports) if judged else None


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """F1_AP: the harmonic mean of attribution and preservation (Gao et al. 2023); 0 if both are 0."""
    if attribution is None or preservation is None:
        return None
    total = attribution + preservation
    return 2 * attribution * preservation / total if total else 0.0


def scores_of(attributed: Attributed, preservation: float) -> Scores:
    """Scores a revision by the support of its sentences before and after the edits.

    A sentence that could not be judged in one of the two texts counts 0 in both, so that no failure looks
    like an edit. If an edit made more or fewer sentences, or nothing of one text could be judged, each text
    is scored alone.
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
    """WikiGenBench's measures of citations (Zhang et al. 2024); `words` has the words of each sentence.

    `alone` says of each sentence which of its citations entail it alone; a citation of no source is False.
    Recall is the share of sentences that a citation entails, precision the mean share of the citations that
    entail their sentence (0 without any), and rate the share of words in sentences that a citation entails.
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
