"""The compact encoder that ships with the package: one ONNX file with several heads, run by onnxruntime."""
