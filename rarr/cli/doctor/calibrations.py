"""Examines the calibrations of the language models that judge support or intent, and weights of judges."""

from collections.abc import Iterator

from rarr.backends.judge_name_parsing import language_models_in
from rarr.backends.prompted.model_calibration import (
    JUDGES,
    PROMPTS,
    Judgement,
    calibration_path,
    read_calibration,
)
from rarr.backends.prompted.prompts import Prompts
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.errors import InputError
from rarr.settings import Settings
from rarr.tools.models.chat import name_of


def calibrations(settings: Settings) -> Iterator[Diagnosis]:
    """Tells whether a model's calibrated probability or its word decides about support and intent, and why.

    Yields nothing for a judgement that no language model makes. The weights of several judges are examined
    where the judges are made.
    """
    for node, judgement in JUDGES.items():
        for name in language_models_in(settings.models.get(node, "embedded")):
            yield _finding(settings, name_of(name), judgement)


def _finding(settings: Settings, model: str, judgement: Judgement) -> Diagnosis:
    title, cure = f"calibration of {judgement}", f"rarr calibrate {model}"
    path = calibration_path(settings.home, model)
    try:
        prompt = Prompts(settings.prompts)[PROMPTS[judgement]]
        calibration = read_calibration(path, model)
    except InputError as error:
        return Diagnosis(title, "broken", str(error))
    if calibration is None or judgement not in calibration.judgements:
        return Diagnosis(title, "missing", f"none for {model}: its word decides", cure)
    if problem := calibration.problem(judgement, model, prompt):
        return Diagnosis(title, "missing", f"{path} is not used, since {problem}: the word decides", cure)
    fitted = calibration.judgements[judgement]
    detail = (
        f"{model}, from probability {fitted.regression.threshold:.2f} on, for a precision of"
        f" {fitted.precision:.2f}; {fitted.pairs} pairs, {calibration.made_at:%Y-%m-%d}, {path}"
    )
    return Diagnosis(title, "ok", detail)
