"""Declares the weights by which several judges of support are combined, and reads their file.

`rarr calibrate` fits them, as in rarr calibrate embedded+vllm:NAME.
"""

import math
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from rarr.backends.judge_name_parsing import judges_in
from rarr.backends.logistic import Logistic
from rarr.backends.prompted.model_calibration import calibration_path, read_kept
from rarr.errors import SettingsError
from rarr.records import Record

# A judge by its word or by rules gives 0 or 1, and its log-odds must not outweigh those of all other judges.
_LEAST = 0.01


def features_of_judges(supports: Mapping[str, float]) -> dict[str, float]:
    """Returns the features of the regression: the log-odds of each judge's support, by its name.

    Supports below 0.01 count as 0.01, and supports above 0.99 as 0.99.
    """
    clipped = {name: min(max(support, _LEAST), 1 - _LEAST) for name, support in supports.items()}
    return {name: math.log(support / (1 - support)) for name, support in clipped.items()}


class JudgeWeights(Record):
    """The content of a file of weights: a regression with a weight for each judge that `judge` joins."""

    format: Literal[1] = 1
    judge: str
    made_at: datetime
    versions: str
    """A digest of the calibrations, prompts and weights of the judges with which the weights were fitted."""
    regression: Logistic
    pairs: int = Field(ge=1)

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        if set(self.regression.weights) != set(judges_in(self.judge)):
            raise ValueError("the regression needs a weight for each judge")
        return self

    def support(self, supports: Mapping[str, float]) -> float:
        """Computes the support by all judges, from 0 to 1, from the support by each, by name."""
        return self.regression.probability(features_of_judges(supports))


def read_weights(home: Path, judge: str) -> JudgeWeights | None:
    """Reads the weights of the judges that `judge` joins from the data folder; None if there is no file.

    Raises `SettingsError`, which names the cure, if the file is damaged.
    """
    path = calibration_path(home, judge)
    weights = read_kept(path, JudgeWeights, judge)
    if weights is not None and weights.judge != judge:
        raise SettingsError(f"{path} holds the weights of {weights.judge}: run rarr calibrate {judge}")
    return weights
