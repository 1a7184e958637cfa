"""The verifier: each sentence with its subject put back in, against the evidence under its title."""

import re
from collections.abc import Sequence

from rarr.backends.nli.labels import EntailmentJudgement
from rarr.backends.nli.model import NliModel
from rarr.backends.rules.claims import claims
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency.worker import infer
from rarr.tools.text.attribution_classes import attribution_class
from rarr.tools.text.document import Span
from rarr.tools.text.long_evidence import Pair

_BEFORE_A_STOP = re.compile(r" (?=[.,;:!?](?: |$))")  # a space, where a citation stood


class NliVerifier:
    """Support is the probability that the evidence entails a sentence, from 0 to 1.

    None for what holds no sentence, such as a heading, for evidence without text, and for a sentence so long
    that the model has no room for evidence beside it.
    """

    def __init__(self, name: str, threshold: float) -> None:
        """`name` is a folder or of the hub; from the support `threshold` on, a sentence is attributable.

        Raises `SettingsError` or `SetupError` where there is no such model; this takes seconds.
        """
        self._model = NliModel(name)
        self._threshold = threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """The support of the sentences of `text` at `spans`, judged at once."""
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else judgement.support for judgement in judged]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """The most probable of three labels; a model that knows no contradiction never says contradictory."""
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else _class(judgement, self._threshold) for judgement in judged]

    def _judged(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> list[EntailmentJudgement | None]:
        texts = [standalone_text(text, context, span) for span in spans]
        asked = [index for index, claim in enumerate(texts) if claim and evidence.text.strip()]
        pairs = [Pair(evidence.text, texts[index]) for index in asked]
        judged = dict(zip(asked, self._model.judge(pairs, evidence.title), strict=True))
        return [judged.get(index) for index in range(len(spans))]


def standalone_text(text: str, context: str | None, span: Span) -> str:
    """The sentences of `text` that `span` touches, their subjects put back in; empty where it has none."""
    touched = [claim.sentence.text for claim in claims(text, context) if claim.span.overlaps(span)]
    return _BEFORE_A_STOP.sub("", " ".join(" ".join(touched).split()))


def _class(judged: EntailmentJudgement, threshold: float) -> AttributionClass | None:
    if judged.contradiction is None:
        return attribution_class(judged.support, threshold)
    silence = 1 - judged.support - judged.contradiction
    if judged.support >= max(silence, judged.contradiction):
        return "attributable"
    return "contradictory" if judged.contradiction >= silence else "extrapolatory"
