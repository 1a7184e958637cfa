"""A verifier of several judges, each of which judges alone; fitted weights combine their support."""

from collections.abc import Mapping, Sequence

from rarr.backends.judge_weights import JudgeWeights
from rarr.components import AsksModel, Classifier, Verifier
from rarr.records import AttributionClass, Evidence, ExpectedUsage
from rarr.settings import EMBEDDED
from rarr.tools.concurrency.together import together
from rarr.tools.text.attribution_class_by_support import attribution_class
from rarr.tools.text.blocks_and_sentences import Span


class CombinedVerifier:
    """A verifier of several judges: support is a logistic regression of the log-odds of their support.

    Support is sigmoid(b + sum of w_i * logit(p_i)), where p_i is the support by judge i, from 0.01 to 0.99.
    A sentence that one of the judges could not judge is not judged.

    `embedded` and `rules` have a veto, as they have alone: a sentence that they call contradictory is
    contradictory, whatever its support. A contradiction by another judge only lowers the support.
    """

    def __init__(self, judges: Mapping[str, Verifier], weights: JudgeWeights, threshold: float) -> None:
        """`judges`, by name, are those of the weights. From support `threshold` on, it is attributable."""
        self._judges, self._weights, self._threshold = judges, weights, threshold

    @property
    def vetoes(self) -> Sequence[Classifier]:
        """The judges that can contradict a sentence whatever its support."""
        return [
            judge
            for name, judge in self._judges.items()
            if name in EMBEDDED and isinstance(judge, Classifier)
        ]

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of the language models for one sentence and one evidence."""
        usages = [
            judge.expected(text, context) for judge in self._judges.values() if isinstance(judge, AsksModel)
        ]
        values = {name: [getattr(usage, name) for usage in usages] for name in ExpectedUsage.model_fields}
        return ExpectedUsage(
            **{name: None if None in column else sum(column) for name, column in values.items()}
        )

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of each sentence at `spans`, from 0 to 1; all judges are asked at once.

        None for a sentence that a judge could not judge. Raises what a judge raises.
        """
        judged = await together(
            *(judge.support(text, context, spans, evidence) for judge in self._judges.values())
        )
        return [self._combined(supports) for _, *supports in zip(spans, *judged, strict=True)]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns the class of each sentence: contradictory by a veto, else by its support.

        None for a sentence that a judge could not judge. Raises what a judge raises.
        """
        supports = await self.support(text, context, spans, evidence)
        classes = await together(*(judge.classify(text, context, spans, evidence) for judge in self.vetoes))
        return [
            attribution_class(support, self._threshold, contradicted="contradictory" in vetoes)
            for support, *vetoes in zip(supports, *classes, strict=True)
        ]

    def _combined(self, supports: Sequence[float | None]) -> float | None:
        known = {
            name: support for name, support in zip(self._judges, supports, strict=True) if support is not None
        }
        return self._weights.support(known) if len(known) == len(supports) else None
