"""The default components: the encoder that ships reads, the rules compare what it read."""
