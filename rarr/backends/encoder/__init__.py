"""The small encoder model that ships with the package: an ONNX file that onnxruntime runs."""
