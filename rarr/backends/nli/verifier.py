"""A verifier whose model judges each sentence by the evidence under its title."""

import re
from collections.abc import Sequence

from rarr.backends.nli.labels import EntailmentJudgement, attribution_class
from rarr.backends.nli.long_evidence import Pair
from rarr.backends.nli.model import NliModel
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency import infer
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.citation_marks import citation_marks

_BEFORE_A_STOP = re.compile(r" (?=[.,;:!?](?: |$))")  # the space of a removed citation


class NliVerifier:
    """Judges sentences by an NLI model. Support is the probability (0 to 1) that evidence entails a sentence.

    None for a span without a sentence, such as a heading, for evidence without text, and for a sentence
    that leaves the model no room for evidence.
    """

    def __init__(self, name: str, threshold: float) -> None:
        """Loads the model `name`, a folder or a name on the hub. This takes seconds, or minutes to download.

        A sentence with at least the support `threshold` is attributable. Raises `SettingsError` or
        `SetupError` where there is no such model.
        """
        self._model = NliModel(name)
        self._threshold = threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of the sentences of `text` at `spans`, all judged in one call."""
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else judgement.support for judgement in judged]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns for each sentence the most probable of the three classes.

        With a model without a label for contradiction, the threshold decides between the other two.
        """
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else _class(judgement, self._threshold) for judgement in judged]

    def _judged(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> list[EntailmentJudgement | None]:
        texts = [judged_text(text, context, span) for span in spans]
        asked = [index for index, claim in enumerate(texts) if claim and evidence.text.strip()]
        pairs = [Pair(evidence.text, texts[index]) for index in asked]
        judged = dict(zip(asked, self._model.judge(pairs, evidence.title), strict=True))
        return [judged.get(index) for index in range(len(spans))]


def judged_text(text: str, context: str | None, span: Span) -> str:
    """Joins the sentences of `text` that `span` overlaps, without citations; empty for none.

    The only sentence of a text may be a short answer, so its question stands before it.
    """
    spans = sentences(text)
    marks = [mark.place for mark in citation_marks(text)]
    touched = [_without(text, sentence, marks) for sentence in spans if sentence.overlaps(span)]
    asked = [context] if context and touched and len(spans) == 1 else []
    return _BEFORE_A_STOP.sub("", " ".join(" ".join([*asked, *touched]).split()))


def _without(text: str, sentence: Span, marks: Sequence[Span]) -> str:
    inside = [mark for mark in marks if mark.overlaps(sentence)]
    starts, ends = [mark.start for mark in inside], [mark.end for mark in inside]
    kept = zip([sentence.start, *ends], [*starts, sentence.end], strict=True)
    return " ".join(text[start:end] for start, end in kept)


def _class(judged: EntailmentJudgement, threshold: float) -> AttributionClass | None:
    if judged.contradiction is None:
        return attribution_class(judged.support, threshold)
    silence = 1 - judged.support - judged.contradiction
    if judged.support >= max(silence, judged.contradiction):
        return "attributable"
    return "contradictory" if judged.contradiction >= silence else "extrapolatory"
