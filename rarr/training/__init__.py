"""Makes training data, and trains the compact encoder and PURR's editor. Training needs the extra `train`."""
