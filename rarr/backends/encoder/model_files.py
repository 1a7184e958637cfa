"""Checks and opens the files of an encoder: `reader.onnx`, `tokenizer.json`, and `model.json` about both."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from rarr.errors import SettingsError, SetupError
from rarr.records import Record
from rarr.settings import set_variable

FORMAT = 4
"""The format of the files that this version of `rarr` reads."""
SHIPPED = Path(__file__).parent / "weights"
NEVER = 1.01
"""A threshold that no probability reaches."""
MODEL, TOKENIZER, FACTS = "reader.onnx", "tokenizer.json", "model.json"


class WeightsManifest(Record):
    """The content of `model.json`: the format, and the digests of the other files.

    `sure` is the least probability at which a correction by these weights is made.
    """

    format: int
    sha256: dict[str, str]
    sure: float = Field(default=NEVER, ge=0, le=NEVER, allow_inf_nan=False)


class EncoderFiles(NamedTuple):
    """An open session of onnxruntime, and the tokenizer."""

    session: Any
    tokenizer: Any


def checked_manifest(folder: Path | None) -> WeightsManifest:
    """Reads `model.json` and checks the digests of the other files; None is the folder that ships.

    Raises `SettingsError`, which names the cure, for a missing or damaged file.
    """
    where, cure = _where(folder)
    facts = _facts(where, cure)
    for name in (MODEL, TOKENIZER):
        try:
            digest = _digest(where / name)
        except OSError as error:
            raise SettingsError(f"{where / name} cannot be read ({error.strerror}): {cure}") from None
        if digest != facts.sha256.get(name):
            raise SettingsError(f"{where / name} is damaged: {cure}")
    return facts


def encoder_files(folder: Path | None) -> EncoderFiles:
    """Opens the files of `folder`, or the files that ship for None. Does not check them."""
    where, _ = _where(folder)
    return EncoderFiles(_session(where / MODEL), tokenizer(folder))


def _where(folder: Path | None) -> tuple[Path, str]:
    """Returns the folder, and the cure for damaged files."""
    if folder is None:
        return SHIPPED, "install rarr again: pip install --force-reinstall rarr"
    return folder.expanduser(), "write it again: rarr train editor"


def file_digests(folder: Path) -> dict[str, str]:
    """Computes the digests of the model and the tokenizer, for `model.json`."""
    return {name: _digest(folder / name) for name in (MODEL, TOKENIZER)}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _facts(where: Path, cure: str) -> WeightsManifest:
    if not where.is_dir():
        raise SettingsError(f"there is no folder {where}: give one that rarr train editor wrote, as weights")
    try:
        content = json.loads((where / FACTS).read_bytes())
        version = content.get("format") if isinstance(content, dict) else None
        if version != FORMAT:
            other = f"{where} holds weights of format {version}"
            raise SettingsError(f"{other}, this version of rarr reads format {FORMAT}: {cure}")
        return WeightsManifest.model_validate(content)
    except OSError:
        raise SettingsError(f"{where} holds no weights ({FACTS} cannot be read): {cure}") from None
    except ValueError:  # no JSON, or of another form
        raise SettingsError(f"{where / FACTS} is damaged: {cure}") from None


def forbid_telemetry() -> None:
    """Stops onnxruntime from sending data about its use; has no effect once onnxruntime is imported.

    Since release 1.32 it writes a device id into the user's cache and looks up a collector.
    """
    set_variable("ORT_DISABLE_TELEMETRY", "1")


def require_packages() -> None:
    """Raises `SetupError` without the packages of the extra; onnxruntime must not send data about its use."""
    forbid_telemetry()
    try:
        import_module("onnxruntime")
        import_module("tokenizers")
    except ModuleNotFoundError as error:
        message = f'the encoder needs a package ({error.name} is missing): pip install "rarr[encoder]"'
        raise SetupError(message) from None


def _session(path: Path) -> Any:
    require_packages()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # texts are read side by side, each by one thread
    # One step for adding and normalising takes onnxruntime 1.31 several times as long as two steps.
    slow = ["SkipLayerNormFusion"]
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(path, options, providers=providers, disabled_optimizers=slow)


def tokenizer(folder: Path | None) -> Any:
    """Loads the tokenizer of `folder`, or the tokenizer that ships for None. It neither pads nor cuts."""
    require_packages()
    from tokenizers import Tokenizer

    where, _ = _where(folder)
    made = Tokenizer.from_file(str(where / TOKENIZER))
    made.no_padding()
    made.no_truncation()
    return made
