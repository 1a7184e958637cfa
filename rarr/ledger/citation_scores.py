"""Measures the quality of a text's citations, by the formulas of WikiGenBench and by those of ALCE.

`citation_recall`, `citation_precision` and `citation_rate` are those of WikiGenBench (Zhang et al. 2024,
"Citation"): one citation that entails the sentence is enough. `alce_recall` and `alce_precision` are those of
ALCE (Gao et al. 2023b, "Citation quality"): all citations of a sentence together must entail it, and idle
citations are counted. Entailments are judged elsewhere, and given as `CitedSentence`. All of them are for one
text; take their mean over several texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rarr.errors import InputError


@dataclass(frozen=True)
class CitedSentence:
    """A sentence, and which of its citations entail it. None: could not be judged.

    `alone[i]`: citation i alone entails it; False for a citation of a source that does not exist. `words`:
    the number of its words, without the marks of citations, for `citation_rate`.

    The metrics of ALCE alone use the others. `entailed_by_all`: all its citations together entail it; not
    used for a sentence without citations. `without[i]`: all other citations entail it; False for an only
    citation. Raises `InputError` if `alone` and `without` have different lengths, unless `without` is empty.
    """

    entailed_by_all: bool | None = None
    alone: tuple[bool | None, ...] = ()
    without: tuple[bool | None, ...] = ()
    words: int = 0

    def __post_init__(self) -> None:
        if self.without and len(self.alone) != len(self.without):
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
    others = sentence.without or (None,) * len(sentence.alone)
    return tuple(
        _both(whole, _either(alone, None if without is None else not without))
        for alone, without in zip(sentence.alone, others, strict=True)
    )


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


def cited_share(sentences: Sequence[CitedSentence]) -> float | None:
    """Computes the share of sentences with a citation, whether or not it entails them; None for none."""
    return _share([bool(sentence.alone) for sentence in sentences])


def alce_recall(sentences: Sequence[CitedSentence]) -> float | None:
    """ALCE's recall: the share of judged sentences that all their citations together entail.

    None if no sentence was judged.
    """
    return _share([supported(sentence) for sentence in sentences])


def alce_precision(sentences: Sequence[CitedSentence]) -> float | None:
    """ALCE's precision: the share of judged citations that are precise; None if no citation was judged.

    A text without citations has 0, as in ALCE's code; a text without sentences has None.
    """
    judgements = [judgement for sentence in sentences for judgement in precise(sentence)]
    return _share(judgements) if judgements or not sentences else 0.0


def _entailed(sentence: CitedSentence) -> bool | None:
    """Does at least one citation entail the sentence? None if that could not be judged."""
    if any(sentence.alone):
        return True
    return None if None in sentence.alone else False


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
