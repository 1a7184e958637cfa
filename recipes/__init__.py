"""Makes the weights that ship with `rarr`: builds data, trains, and writes the ONNX file."""
