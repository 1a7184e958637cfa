"""Computes the scores of a revision, and those of the citations of an article."""

from collections.abc import Sequence
from dataclasses import dataclass

from rarr.records import Scores
from rarr.state import Attributed


def auto_ais(supports: Sequence[float | None]) -> float | None:
    """Auto-AIS: the mean over all sentences of the best entailment score by one evidence of the report.

    `supports` has one value for each sentence, between 0 and 1, from `best_support`. A sentence that could
    not be judged (None) counts 0, since nothing attributes it; if no sentence could be judged, the result is
    None (Gao et al. 2023, section 2.1).
    """
    judged = [support for support in supports if support is not None]
    return sum(judged) / len(supports) if judged else None


def best_support(entailments: Sequence[float | None]) -> float | None:
    """Returns the highest entailment score of one sentence; `entailments` has one score for each evidence.

    Scores of None, which could not be judged, do not count. The result is 0 for no evidence, and None if no
    evidence could be judged.
    """
    if not entailments:
        return 0.0
    return max((entailment for entailment in entailments if entailment is not None), default=None)


def f1_ap(attribution: float | None, preservation: float | None) -> float | None:
    """F1_AP: the harmonic mean of attribution and preservation (Gao et al. 2023).

    None if one of the two could not be judged; 0 if both are 0.
    """
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


@dataclass(frozen=True)
class CitedSentence:
    """A sentence, and which of its citations entail it alone; None: could not be judged.

    A citation of a source that does not exist is False. `words` is the number of words of the sentence.
    """

    alone: tuple[bool | None, ...] = ()
    words: int = 0


def citation_recall(sentences: Sequence[CitedSentence]) -> float | None:
    """WikiGenBench's recall: the share of sentences that at least one of their citations entails.

    Sentences that could not be judged (None) do not count; None if no sentence was judged.
    """
    return _share([_entailed(sentence) for sentence in sentences])


def citation_precision(sentences: Sequence[CitedSentence]) -> float | None:
    """WikiGenBench's precision: the mean over sentences of the share of their citations that entail them.

    A sentence without citations counts 0. Citations that could not be judged (None) do not count, and neither
    do sentences of which no citation was judged; None if no sentence was judged.
    """
    shares = [_share(sentence.alone) if sentence.alone else 0.0 for sentence in sentences]
    judged = [share for share in shares if share is not None]
    return sum(judged) / len(judged) if judged else None


def citation_rate(sentences: Sequence[CitedSentence]) -> float | None:
    """WikiGenBench's rate: the share of the words that are in sentences which a citation entails.

    Sentences that could not be judged (None) do not count; None if no words were judged.
    """
    judged = [sentence for sentence in sentences if _entailed(sentence) is not None]
    words = sum(sentence.words for sentence in judged)
    return sum(sentence.words for sentence in judged if _entailed(sentence)) / words if words else None


def _entailed(sentence: CitedSentence) -> bool | None:
    """Does at least one citation entail the sentence? None if that could not be judged."""
    if any(sentence.alone):
        return True
    return None if None in sentence.alone else False


def _share(judgements: Sequence[bool | None]) -> float | None:
    judged = [judgement for judgement in judgements if judgement is not None]
    return sum(judged) / len(judged) if judged else None
