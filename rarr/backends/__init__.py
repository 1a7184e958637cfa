"""The components behind the nodes: language models, the embedded reader, the encoder, and NLI models."""
