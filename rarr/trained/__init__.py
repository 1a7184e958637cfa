"""The components of `encoder`: the encoder that ships reads, the rules compare what it read."""
