"""Makes the weights that ship with `rarr`, from public data to the ONNX file."""
