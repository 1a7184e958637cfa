"""Checks and opens the files of an encoder: `reader.onnx`, `tokenizer.json` and the manifest `model.json`."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from rarr.errors import SettingsError, SetupError
from rarr.records import Record
from rarr.settings import set_environment_variable

FORMAT = 4  # the format of files that this version of rarr reads
SHIPPED = Path(__file__).parent / "weights"  # the folder of the package's own files
NEVER = 1.01  # a threshold above all probabilities: no correction is made
MODEL, TOKENIZER, MANIFEST = "reader.onnx", "tokenizer.json", "model.json"


class WeightsManifest(Record):
    """The content of `model.json`. `sha256`: the digest of each other file, by the name of the file.

    `sure`: the lowest probability at which the editor makes a correction.
    """

    format: int
    sha256: dict[str, str]
    sure: float = Field(default=NEVER, ge=0, le=NEVER, allow_inf_nan=False)


class LoadedEncoder(NamedTuple):
    """The session of onnxruntime that runs the model, and the tokenizer."""

    session: Any
    tokenizer: Any


def checked_manifest(folder: Path | None) -> WeightsManifest:
    """Reads `model.json` and checks the digests of the other files. None means the weights of the package.

    Raises `SettingsError` if a file is missing or damaged. The message says how to repair the files.
    """
    where, cure = _folder_and_cure(folder)
    facts = _read_manifest(where, cure)
    for name in (MODEL, TOKENIZER):
        try:
            digest = _digest(where / name)
        except OSError as error:
            raise SettingsError(f"{where / name} cannot be read ({error.strerror}): {cure}") from None
        if digest != facts.sha256.get(name):
            raise SettingsError(f"{where / name} is damaged: {cure}")
    return facts


def load_encoder(folder: Path | None) -> LoadedEncoder:
    """Opens the model and the tokenizer in `folder`, or (for None) in the package. Checks no digests."""
    where, _ = _folder_and_cure(folder)
    return LoadedEncoder(_open_session(where / MODEL), load_tokenizer(folder))


def _folder_and_cure(folder: Path | None) -> tuple[Path, str]:
    """Returns `folder`, or for None the package's folder, and a phrase that tells how to repair the files."""
    if folder is None:
        return SHIPPED, "install rarr again: pip install --force-reinstall rarr"
    return folder.expanduser(), "write it again: rarr train editor"


def file_digests(folder: Path) -> dict[str, str]:
    """Returns the SHA-256 digests of the model and tokenizer files, by file name."""
    return {name: _digest(folder / name) for name in (MODEL, TOKENIZER)}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_manifest(where: Path, cure: str) -> WeightsManifest:
    if not where.is_dir():
        raise SettingsError(f"the folder {where} is missing: give a folder that rarr train editor wrote")
    try:
        content = json.loads((where / MANIFEST).read_bytes())
        version = content.get("format") if isinstance(content, dict) else None
        if version != FORMAT:
            other = f"{where} holds weights of format {version}"
            raise SettingsError(f"{other}, this version of rarr reads format {FORMAT}: {cure}")
        return WeightsManifest.model_validate(content)
    except OSError:
        raise SettingsError(f"{where} holds no weights ({MANIFEST} cannot be read): {cure}") from None
    except ValueError:  # no JSON, or JSON of another form
        raise SettingsError(f"{where / MANIFEST} is damaged: {cure}") from None


def forbid_telemetry() -> None:
    """Stops onnxruntime from sending data about its use. Has no effect after onnxruntime was imported.

    Since release 1.32, onnxruntime writes a device id into the user's cache, and contacts a server.
    """
    set_environment_variable("ORT_DISABLE_TELEMETRY", "1")


def require_packages() -> None:
    """Raises `SetupError` if a package of the extra `encoder` is missing. Also calls `forbid_telemetry`."""
    forbid_telemetry()
    try:
        import_module("onnxruntime")
        import_module("tokenizers")
    except ModuleNotFoundError as error:
        message = f'the encoder needs a package ({error.name} is missing): pip install "rarr[encoder]"'
        raise SetupError(message) from None


def _open_session(path: Path) -> Any:
    require_packages()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # each text has its own thread
    # In onnxruntime 1.31, this fused step is several times as slow as two separate steps.
    slow = ["SkipLayerNormFusion"]
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(path, options, providers=providers, disabled_optimizers=slow)


def load_tokenizer(folder: Path | None) -> Any:
    """Loads the tokenizer in `folder` (None: the package's). The tokenizer neither pads nor cuts texts."""
    require_packages()
    from tokenizers import Tokenizer

    where, _ = _folder_and_cure(folder)
    made = Tokenizer.from_file(str(where / TOKENIZER))
    made.no_padding()
    made.no_truncation()
    return made
