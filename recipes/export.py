"""Writes what `recipes.run` made as the files that ship: `python -m recipes.export`."""

import argparse
from pathlib import Path

import torch

from rarr.backends.encoder.model_files import SHIPPED
from rarr.training.onnx_export_and_loading import export
from recipes import base
from recipes.run import FOLDER, fresh


def main() -> None:
    """Exports, quantises and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where recipes.run wrote (%(default)s)")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="where the files go (%(default)s)")
    options = parser.parse_args()
    model = fresh()
    model.load_state_dict(torch.load(options.folder / "reader.pt", map_location="cpu", weights_only=True))
    export(model, base.tokenizer(), options.to)
    print(f"wrote {options.to}")


if __name__ == "__main__":
    main()
