"""The files of an encoder: `reader.onnx`, `tokenizer.json`, and `model.json`, which tells what they are."""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, FiniteFloat, ValidationError

from rarr.errors import SettingsError
from rarr.records import Record

FORMAT = 3
"""What these files are to this version of `rarr`, features of the regressions too; others are not read."""
SHIPPED = Path(__file__).parent / "weights"
NEVER = 1.01
"""The threshold of what is never taken to be so."""
MODEL, TOKENIZER, FACTS = "reader.onnx", "tokenizer.json", "model.json"


class Logistic(Record):
    """A logistic regression: how likely something is, by what is told of it by name."""

    bias: FiniteFloat
    weights: dict[str, FiniteFloat]
    threshold: float = Field(default=0.5, ge=0, le=NEVER)
    """From which probability on it is taken to be so."""

    def probability(self, features: Mapping[str, float]) -> float:
        """From 0 to 1. Raises KeyError where something is not told."""
        logit = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))

    def highest(self, features: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> float:
        """The highest probability there is while what is `untold` is from its first to its last number."""
        return self.probability(
            {
                name: max(ends, key=lambda end: end * self.weights.get(name, 0.0))
                for name, ends in ranges.items()
            }
            | dict(features)
        )

    def holds(self, features: Mapping[str, float]) -> bool:
        """Is it taken to be so?"""
        return self.probability(features) >= self.threshold


class Calibration(Record):
    """What was fitted on dev, on top of the weights; `recipes.calibrate` writes it."""

    disagrees: Logistic
    """That a passage has another value in place of the claim's (features: `encoder.features`)."""
    agrees: Logistic
    """That it has the claim's value there."""
    contradicts: Logistic
    """That it contradicts the claim somewhere."""
    supports: Logistic
    """That a passage makes a sentence attributable (features: `rarr.backends.encoder.support`)."""


class WeightsManifest(Record):
    """What `model.json` says: the format, the digests of the other files, and the calibration."""

    format: int
    sha256: dict[str, str]
    calibration: Calibration


class EncoderFiles(NamedTuple):
    """An open session with its tokenizer."""

    session: Any
    tokenizer: Any


def checked_manifest(folder: Path | None) -> WeightsManifest:
    """What `model.json` says, once the files are as it says. Raises `SettingsError` with the cure."""
    where, cure = _where(folder)
    facts = _facts(where, cure)
    for name in (MODEL, TOKENIZER):
        try:
            digest = _digest(where / name)
        except OSError as error:
            raise SettingsError(f"{where / name} cannot be read ({error.strerror}): {cure}") from error
        if digest != facts.sha256.get(name):
            raise SettingsError(f"{where / name} is damaged: {cure}")
    return facts


def encoder_files(folder: Path | None) -> EncoderFiles:
    """The files of `folder`, or those that ship, which were `checked`."""
    where, _ = _where(folder)
    return EncoderFiles(_session(where / MODEL), tokenizer(folder))


def _where(folder: Path | None) -> tuple[Path, str]:
    """The folder, and what helps where its files are damaged."""
    if folder is None:
        return SHIPPED, "install rarr again: pip install --force-reinstall rarr"
    return folder.expanduser(), "write it again: rarr train editor"


def file_digests(folder: Path) -> dict[str, str]:
    """What `model.json` must say of the files as they are."""
    return {name: _digest(folder / name) for name in (MODEL, TOKENIZER)}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _facts(where: Path, cure: str) -> WeightsManifest:
    if not where.is_dir():
        raise SettingsError(f"there is no folder {where}: give one that rarr train editor wrote, as weights")
    try:
        content = json.loads((where / FACTS).read_bytes())
    except OSError as error:
        raise SettingsError(f"{where} holds no weights ({FACTS} cannot be read): {cure}") from error
    except ValueError as error:
        raise SettingsError(f"{where / FACTS} is damaged: {cure}") from error
    version = content.get("format") if isinstance(content, dict) else None
    if version != FORMAT:
        raise SettingsError(
            f"{where} holds weights of format {version}, this version of rarr reads format {FORMAT}: {cure}"
        )
    try:
        return WeightsManifest.model_validate(content)
    except ValidationError as error:
        raise SettingsError(f"{where / FACTS} is damaged: {cure}") from error


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # sequences are computed side by side, each by one thread
    # Adding and normalising in one step takes onnxruntime 1.31 several times as long as in two.
    slow = ["SkipLayerNormFusion"]
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(path, options, providers=providers, disabled_optimizers=slow)


def tokenizer(folder: Path | None) -> Any:
    """The tokenizer of `folder`, or that which ships, which neither pads nor cuts."""
    from tokenizers import Tokenizer

    where, _ = _where(folder)
    made = Tokenizer.from_file(str(where / TOKENIZER))
    made.no_padding()
    made.no_truncation()
    return made
