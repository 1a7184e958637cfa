"""Declares the calibration of a language model as a judge, and reads and writes its file.

`rarr calibrate` makes the file. It holds, for each judgement, a regression from the probability of the answer
"yes" to the probability that "yes" is right, and the least probability that counts as "yes".
"""

import hashlib
import json
import math
import re
from datetime import datetime
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import Field, model_validator

from rarr.backends.logistic import Logistic
from rarr.errors import InputError, SettingsError
from rarr.prompts import Prompt
from rarr.records import Record
from rarr.tools.storage.atomic_files import make_private, private_folder, write_whole

Judgement = Literal["support", "intent"]
PROMPTS: dict[Judgement, str] = {"support": "confirm_support", "intent": "confirm_intent"}
"""The prompt of each judgement, which asks for the one word "yes" or "no"."""
JUDGES: dict[str, Judgement] = {"attribute": "support", "evaluate": "intent"}
"""The node whose model makes each judgement."""
FEATURE = "log_odds"
Kept = TypeVar("Kept", bound=Record)
_LEAST = 1e-6  # servers round probabilities, and the log-odds of 0 and 1 are infinite


def features_of(probability: float) -> dict[str, float]:
    """Returns the feature of the regression: the log-odds of the probability of "yes"."""
    likely = min(max(probability, _LEAST), 1 - _LEAST)
    return {FEATURE: math.log(likely / (1 - likely))}


class JudgementCalibration(Record):
    """The calibration of one judgement of a model (support or intent), fitted on `pairs` labelled pairs."""

    prompt: str
    """The hash of the prompt that was asked."""
    regression: Logistic
    """Its threshold is the least probability that counts as "yes"."""
    pairs: int = Field(ge=1)
    precision: float = Field(ge=0, le=1)
    """The share of right ones among the held-out pairs above the threshold that was asked for."""

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        if set(self.regression.weights) != {FEATURE} or not 0 < self.regression.threshold < 1:
            raise ValueError(f"the regression needs the one feature {FEATURE} and a threshold within 0 and 1")
        return self

    def probability(self, of_yes: float) -> float:
        """Computes the probability that "yes" is right from the probability of the answer "yes"."""
        return self.regression.probability(features_of(of_yes))


class ModelCalibration(Record):
    """The content of a calibration file: the calibration of a language model, by judgement."""

    format: Literal[1] = 1
    model: str
    made_at: datetime
    judgements: dict[Judgement, JudgementCalibration]

    def problem(self, judgement: Judgement, model: str, prompt: Prompt) -> str:
        """Returns why the calibration of a judgement, which it must have, cannot be used; "" if it can."""
        if self.model != model:
            return f"it was made for {self.model}"
        if self.judgements[judgement].prompt != prompt.hash:
            return f"it was made with another version of the prompt {prompt.name}"
        return ""


def calibration_path(home: Path, model: str) -> Path:
    """Returns the path of a model's calibration in the data folder `home`; the file need not exist."""
    digest = hashlib.sha256(model.encode()).hexdigest()[:8]
    return home.expanduser() / "calibrations" / f"{re.sub(r'[^A-Za-z0-9.]+', '-', model)[:80]}-{digest}.json"


def read_calibration(path: Path, model: str) -> ModelCalibration | None:
    """Reads the calibration of a language model from a file, like `read_kept`."""
    return read_kept(path, ModelCalibration, model)


def read_kept(path: Path, kind: type[Kept], judge: str) -> Kept | None:
    """Reads the record that `rarr calibrate` keeps about `judge` in a file; None if there is no file.

    Raises `SettingsError`, which names the cure, if it is damaged.
    """
    try:
        return kind.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = f"cannot be read ({error.strerror})"
    except ValueError:
        reason = "is damaged, or of another version of rarr"
    raise SettingsError(f"the calibration {path} {reason}: delete it, or run rarr calibrate {judge}")


def write_calibration(path: Path, calibration: Record, *, private: bool) -> None:
    """Writes the calibration of a language model, or the weights of judges, whole or not at all.

    `private`: its folder and file are for the owner alone. Raises `InputError` if it cannot be written.
    """
    try:
        if private:
            private_folder(path.parent)
        write_whole(path, calibration.model_dump_json(indent=1) + "\n")
        if private:
            make_private(path.parent)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}): name another file with -o") from None
