"""Measures the quality of a text's citations: recall, precision and rate.

Recall and precision are those of ALCE (Gao et al. 2023b, "Citation quality"); the rate is that of
WikiGenBench (Zhang et al. 2024). Entailments are judged elsewhere, and given as `CitedSentence`. All three
are for one text; take their mean over several texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rarr.errors import InputError


@dataclass(frozen=True)
class CitedSentence:
    """A sentence, and which of its citations entail it. None: could not be judged.

    `entailed_by_all`: all its citations together entail it; not used for a sentence without citations.
    `alone[i]`: citation i alone entails it. `without[i]`: all other citations entail it; False for an only
    citation. Raises `InputError` if the two have different lengths.
    """

    entailed_by_all: bool | None = None
    alone: tuple[bool | None, ...] = ()
    without: tuple[bool | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.alone) != len(self.without):
            raise InputError(
                f"a sentence has {len(self.alone)} judgements alone and {len(self.without)} without: "
                "give both for each citation"
            )


def supported(sentence: CitedSentence) -> bool | None:
    """True if the citations together entail the sentence; False without a citation; None: not judged."""
    return sentence.entailed_by_all if sentence.alone else False


def precise(sentence: CitedSentence) -> tuple[bool | None, ...]:
    """Tells for each citation if the sentence is supported and the citation is not idle; None: not judged.

    A citation is idle if it does not entail the sentence alone, and the others do without it.
    """
    whole = supported(sentence)
    return tuple(
        _both(whole, _either(alone, None if without is None else not without))
        for alone, without in zip(sentence.alone, sentence.without, strict=True)
    )


def citation_recall(sentences: Sequence[CitedSentence]) -> float | None:
    """Computes the share of judged sentences that their citations entail; None if no sentence was judged."""
    return _share([supported(sentence) for sentence in sentences])


def citation_precision(sentences: Sequence[CitedSentence]) -> float | None:
    """Computes the share of judged citations that are precise; None if no citation was judged.

    A text without citations has 0, as in ALCE's code; a text without sentences has None.
    """
    judgements = [judgement for sentence in sentences for judgement in precise(sentence)]
    return _share(judgements) if judgements or not sentences else 0.0


def citation_rate(sentences: Sequence[CitedSentence]) -> float | None:
    """Computes the share of sentences with a citation; None without sentences."""
    return _share([bool(sentence.alone) for sentence in sentences])


def _share(judgements: Sequence[bool | None]) -> float | None:
    judged = [judgement for judgement in judgements if judgement is not None]
    return sum(judged) / len(judged) if judged else None


def _both(first: bool | None, second: bool | None) -> bool | None:
    """Logical and, where None is unknown: one False decides."""
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _either(first: bool | None, second: bool | None) -> bool | None:
    """Logical or, where None is unknown: one True decides."""
    if first or second:
        return True
    return None if first is None or second is None else False
