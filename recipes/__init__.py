"""How the weights that ship with `rarr` are made, from public data to the ONNX file."""
