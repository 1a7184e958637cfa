"""Training the compact encoder: what needs torch, in the extra `train`."""
