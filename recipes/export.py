"""Writes what `recipes.run` made as the files that ship: `python -m recipes.export`.

The decisions for the new weights are not calibrated yet: run `python -m recipes.calibrate` next.
"""

import argparse
from pathlib import Path

import torch

from rarr.backends.encoder.model_files import SHIPPED, Calibration
from rarr.backends.logistic import NEVER, Logistic
from rarr.training.onnx_export_and_loading import export
from recipes import base
from recipes.run import FOLDER, fresh

NOTHING = Logistic(bias=0.0, weights={}, threshold=NEVER)


def main() -> None:
    """Exports, quantises and writes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where recipes.run wrote (%(default)s)")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="where the files go (%(default)s)")
    options = parser.parse_args()
    model = fresh()
    model.load_state_dict(torch.load(options.folder / "reader.pt", map_location="cpu", weights_only=True))
    nothing = Calibration(disagrees=NOTHING, agrees=NOTHING, contradicts=NOTHING, supports=NOTHING)
    export(model, base.tokenizer(), options.to, nothing)
    print(f"wrote {options.to}: now python -m recipes.calibrate {options.to}")


if __name__ == "__main__":
    main()
