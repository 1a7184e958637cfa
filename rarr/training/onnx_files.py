"""Writes a trained model as an 8-bit ONNX file, which the package can run, and loads such a file again."""

import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from transformers import BertConfig

from rarr.backends.encoder import model_files
from rarr.tools.storage.files import write_whole
from rarr.training.encoder import EncoderWithHeads

HEADS = ("attribution", "start", "end")
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "mask_position")
_NAMES, _SHAPE = "rarr_names", "rarr_shape"  # keys in the metadata of the ONNX file


def export_onnx(model: EncoderWithHeads, tokenizer: Tokenizer, folder: Path) -> None:
    """Writes a model, its tokenizer and its manifest into `folder`. Replaces existing files.

    Matrices and word embeddings become 8-bit numbers, and each row has a scale. Only 7 bits are used,
    because products of 8-bit numbers would overflow on processors without the instructions VNNI.
    """
    model_files.forbid_telemetry()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        whole = Path(made) / "whole.onnx"
        _export_floats(model, whole)
        quantize_dynamic(
            whole,
            folder / model_files.MODEL,
            op_types_to_quantize=["MatMul", "Gather"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
    tokenizer.save(str(folder / model_files.TOKENIZER))
    facts = model_files.WeightsManifest(format=model_files.FORMAT, sha256=model_files.file_digests(folder))
    write_whole(folder / model_files.MANIFEST, facts.model_dump_json(indent=1) + "\n")


def _export_floats(model: EncoderWithHeads, path: Path) -> None:
    """Writes the model with float weights. The metadata of the file name the array of each weight."""
    example = torch.ones((2, 8), dtype=torch.long)
    sizes = {0: "batch", 1: "length"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that this exporter is deprecated
        torch.onnx.export(
            model.eval().to("cpu"),
            (example, example, example, torch.zeros(2, dtype=torch.long)),
            str(path),
            input_names=list(INPUTS),
            output_names=list(HEADS),
            dynamic_axes=dict.fromkeys(INPUTS[:3], sizes) | {INPUTS[3]: {0: "batch"}},
            opset_version=18,
            dynamo=False,
        )
    graph, places = onnx.load(path), dict[str, tuple[str, bool]]()
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    for name, tensor in model.state_dict().items():
        weight = tensor.cpu().numpy()
        for other, array in arrays.items():
            if np.array_equal(array, weight) or np.array_equal(array, weight.T):
                places[name] = (other, not np.array_equal(array, weight))
    shape = {k: v for k, v in model.config.to_dict().items() if isinstance(v, int | float | str)}
    onnx.helper.set_model_props(graph, {_NAMES: json.dumps(places), _SHAPE: json.dumps(shape)})
    onnx.save(graph, path)


def load_onnx(folder: Path | None = None) -> EncoderWithHeads:
    """Loads the model in `folder` (None: the model of the package). Call `checked_manifest` first.

    The weights keep the values of their 8-bit form: training begins with the weights that the package runs.
    """
    graph = onnx.load((folder or model_files.SHIPPED) / model_files.MODEL)
    metadata = {entry.key: entry.value for entry in graph.metadata_props}
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    for base in [name.removesuffix("_quantized") for name in arrays if name.endswith("_quantized")]:
        array, scale, zero = (arrays[f"{base}_{part}"] for part in ("quantized", "scale", "zero_point"))
        if scale.size == len(array) != array.shape[-1]:  # a scale for each row
            scale, zero = scale[:, None], zero[:, None]
        arrays[base] = (array.astype(np.float32) - zero.astype(np.float32)) * scale
    model = EncoderWithHeads(BertConfig(**json.loads(metadata[_SHAPE])))
    places = json.loads(metadata[_NAMES])
    for name, weight in model.state_dict().items():
        at, turned = places[name]
        weight.copy_(torch.from_numpy(np.array(arrays[at].T if turned else arrays[at], np.float32)))
    model.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return model
