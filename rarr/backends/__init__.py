"""What a node can run on: rules, the encoder that ships, language models, and NLI models."""
