"""The small encoder model that ships with the package: an ONNX file with two heads, run by onnxruntime."""
