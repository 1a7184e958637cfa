"""Reads which output of a model means support and which contradiction, from the names of its labels."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.errors import SetupError
from rarr.records import AttributionClass

_SUPPORT = {"entailment", "entails", "entailed", "supported", "supports", "attributable", "consistent"}
_CONTRADICTION = {"contradiction", "contradicts", "contradicted", "contradictory", "refuted", "refutes"}
_SILENCE = {"neutral", "extrapolatory", "notenoughinfo"}
_NO_SUPPORT = {"notentailment", "nonentailment", "notsupported", "unsupported", "inconsistent"}
_UNNAMED = re.compile(r"label\d+")


class EntailmentJudgement(NamedTuple):
    """Probabilities that an evidence entails and contradicts a claim; None: the model has no such label."""

    support: float
    contradiction: float | None = None


class Outputs(NamedTuple):
    """The index of a model's output for support, and the index for contradiction, if there is one."""

    support: int
    contradiction: int | None = None

    def judgement(self, logits: Sequence[float]) -> EntailmentJudgement:
        """Turns logits into probabilities: by softmax, or by sigmoid for a single logit (as of HHEM-1)."""
        if len(logits) == 1:
            return EntailmentJudgement(_sigmoid(logits[0]))
        greatest = max(logits)
        powers = [math.exp(logit - greatest) for logit in logits]
        shares = [power / sum(powers) for power in powers]
        contradiction = None if self.contradiction is None else shares[self.contradiction]
        return EntailmentJudgement(shares[self.support], contradiction)


def outputs_of(id2label: Mapping[int, str], name: str) -> Outputs:
    """Finds the outputs of the classifier `name`, by its labels in any order and case.

    A single output is support, whatever its name. Of two outputs without names the second is support, as in
    MiniCheck's classifiers (Tang et al. 2024; minicheck/inference.py of Liyan06/MiniCheck). Raises
    `SetupError` where the names do not identify the outputs.
    """
    labels = [re.sub(r"[\W_]", "", str(id2label[index]).lower()) for index in sorted(id2label)]
    if len(labels) == 1:
        return Outputs(0)
    if len(labels) == 2 and all(_UNNAMED.fullmatch(label) for label in labels):
        return Outputs(1)
    places = [[i for i, label in enumerate(labels) if label in names] for names in (_SUPPORT, _CONTRADICTION)]
    others = [label for label in labels if label in _SILENCE | _NO_SUPPORT]
    support, contradiction = places
    if len(support) != 1 or len(contradiction) > 1 or len(labels) != 1 + len(contradiction) + len(others):
        raise SetupError(
            f"model 'nli:{name}' has the labels {', '.join(map(str, id2label.values()))}, not entailment,"
            " neutral and contradiction: name them in id2label of its config.json, or choose a model for"
            " natural language inference"
        )
    return Outputs(support[0], contradiction[0] if contradiction else None)


def _sigmoid(logit: float) -> float:
    power = math.exp(-abs(logit))  # the exponential of a large number would overflow
    return (1.0 if logit >= 0 else power) / (1.0 + power)


def attribution_class(support: float | None, threshold: float) -> AttributionClass | None:
    """Chooses the class of AttrScore (Yue et al. 2023) by a support from 0 to 1; None if not judged."""
    if support is None:
        return None
    return "attributable" if support >= threshold else "extrapolatory"
