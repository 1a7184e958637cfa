"""Fine-tunes the compact encoder. Needs torch, which the extra `train` installs."""
