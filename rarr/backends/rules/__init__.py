"""The components that need no key, no download and no GPU: rules over words and values."""
