"""Decides the label of a claim by the statuses of its sentences and the verifier's classes.

The ledger decides where it is sure: a contradicted sentence is contradictory, a supported sentence is
attributable, and no passage about something else contradicts. A sentence that it could not judge is never
attributable. Elsewhere the class of the verifier counts, as in AttrScore (Yue et al. 2023): a sentence needs
one passage that supports it, and a claim needs all of its sentences.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.ranking import overlap_scores
from rarr.records import AttributionClass, Evidence, Sentence
from rarr.records.verification import DecidingSentence
from rarr.tools.text.blocks_and_sentences import Span, split_sentences

_WORST_FIRST: tuple[AttributionClass | None, ...] = ("contradictory", "extrapolatory", None, "attributable")


class LabelledSentence(NamedTuple):
    """A sentence of a claim, with the support (0 to 1) and the class by each passage, by the passage's id.

    None for a passage by which the sentence could not be judged. A sentence that is not `checkable`, such as
    "Yes.", states nothing that a passage could support.
    """

    sentence: Sentence
    supports: Mapping[str, float | None]
    classes: Mapping[str, AttributionClass | None]
    checkable: bool = True

    @property
    def label(self) -> AttributionClass | None:
        """The class by all passages together; None if a passage that was not judged could decide.

        An unjudged sentence is not attributable: a class alone shows no support.
        """
        classes = self.classes.values()
        if self.sentence.status == "contradicted":
            return "contradictory"
        if self.sentence.status == "supported" or "attributable" in classes:
            return None if self.sentence.status == "unjudged" else "attributable"
        if self.sentence.status == "retrieval_failed" or None in classes:
            return None
        about_it = self.sentence.status != "no_evidence"
        return "contradictory" if about_it and "contradictory" in classes else "extrapolatory"

    @property
    def support(self) -> float | None:
        """The best support by one passage; 0 without a passage, None if none was judged."""
        return self.sentence.support


def claim_label(sentences: Sequence[LabelledSentence]) -> AttributionClass | None:
    """Returns the label of the claim: contradictory if a sentence is so, else extrapolatory if one is.

    Else None if a sentence could not be judged, else attributable. Sentences that are not checkable do not
    count; None if none is checkable.
    """
    labels = [sentence.label for sentence in sentences if sentence.checkable]
    return next((label for label in _WORST_FIRST if label in labels), None)


def claim_support(sentences: Sequence[LabelledSentence], threshold: float) -> float | None:
    """Returns the support of the least supported sentence that is checkable; None if none is.

    None where a sentence is unjudged and all others reach the threshold: the unjudged sentence might not.
    """
    best = [sentence.support for sentence in sentences if sentence.checkable]
    least = min((support for support in best if support is not None), default=None)
    return None if least is None or (None in best and least >= threshold) else least


def deciding_sentence(
    sentences: Sequence[LabelledSentence], label: AttributionClass | None, evidence: Sequence[Evidence]
) -> DecidingSentence | None:
    """Finds the sentence of the evidence that decides about the least supported sentence with the label.

    It is in the passage that contradicts or best supports the sentence. Of that passage, it is the sentence
    with the words that the parts quote, and else the sentence with most words in common. For an extrapolatory
    claim it is the nearest sentence. None without a label, and without evidence.
    """
    if label is None or not evidence:
        return None
    worst = min(
        (sentence for sentence in sentences if sentence.checkable and sentence.label == label),
        key=lambda sentence: sentence.support or 0.0,
    )
    passage = _deciding_passage(worst, label, evidence)
    spans = split_sentences(passage.text, tables="rows") or (Span(0, len(passage.text)),)
    pieces = [passage.model_copy(update={"text": span.of(passage.text)}) for span in spans]
    nearness = overlap_scores(worst.sentence.text, pieces)
    quoted = [part.says for part in worst.sentence.parts if part.evidence_id == passage.id and part.says]
    best = max(
        range(len(spans)),
        key=lambda n: (sum(words in pieces[n].text for words in quoted), nearness[n], -n),
    )
    return DecidingSentence(evidence_id=passage.id, text=pieces[best].text, **spans[best]._asdict())


def _deciding_passage(
    worst: LabelledSentence, label: AttributionClass, evidence: Sequence[Evidence]
) -> Evidence:
    """Chooses a passage that differs in a part, else one of the class `label`, else the best in support."""
    differing = {part.evidence_id for part in worst.sentence.parts if part.state == "differs"}
    cited = set(worst.sentence.evidence_ids)

    def rank(passage: Evidence) -> tuple[bool, bool, bool, float]:
        return (
            label == "contradictory" and passage.id in differing,
            worst.classes.get(passage.id) == label,
            passage.id in cited,
            worst.supports.get(passage.id) or 0.0,
        )

    return max(evidence, key=rank)  # of equal passages the first
