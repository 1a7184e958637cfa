"""The files of an encoder: `reader.onnx`, `tokenizer.json`, and `model.json`, which says what they must be."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from rarr.errors import SettingsError

FORMAT = 1
"""What these files are to this version of `rarr`; others are not read."""
SHIPPED = Path(__file__).parent / "weights"
MODEL, TOKENIZER, FACTS = "reader.onnx", "tokenizer.json", "model.json"


class Facts(BaseModel):
    """What `model.json` says: the format, the digests of the files, and what was calibrated on dev."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: int
    sha256: dict[str, str]
    temperature: float = 1.0
    """By which the logits of the classes are divided (Guo et al. 2017)."""


class Files(NamedTuple):
    """An open session and its tokenizer."""

    session: Any
    tokenizer: Any
    temperature: float


def opened(folder: Path | None) -> Files:
    """The files of `folder`, or those that ship. Raises `SettingsError` where they are not what they must be."""
    where = SHIPPED if folder is None else folder.expanduser()
    cure = (
        "install rarr again: pip install --force-reinstall rarr"
        if folder is None
        else "write it again: rarr train editor"
    )
    facts = _facts(where, cure)
    for name in (MODEL, TOKENIZER):
        try:
            digest = hashlib.sha256((where / name).read_bytes()).hexdigest()
        except OSError as error:
            raise SettingsError(f"{where / name} cannot be read ({error.strerror}): {cure}") from error
        if digest != facts.sha256.get(name):
            raise SettingsError(f"{where / name} is damaged: {cure}")
    return Files(_session(where / MODEL), _tokenizer(where / TOKENIZER), facts.temperature)


def digests(folder: Path) -> dict[str, str]:
    """What `model.json` must say of the files as they are."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (MODEL, TOKENIZER)}


def _facts(where: Path, cure: str) -> Facts:
    try:
        facts = Facts.model_validate_json((where / FACTS).read_bytes())
    except OSError as error:
        raise SettingsError(f"{where} holds no weights ({FACTS} cannot be read): {cure}") from error
    except ValidationError as error:
        raise SettingsError(f"{where / FACTS} is damaged: {cure}") from error
    if facts.format != FORMAT:
        raise SettingsError(
            f"{where} holds weights of format {facts.format}, this version of rarr reads format {FORMAT}: {cure}"
        )
    return facts


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(path))
    made.no_padding()
    made.no_truncation()
    return made
