"""What a node can run on: language models, the embedded reader, the encoder, and NLI models."""
