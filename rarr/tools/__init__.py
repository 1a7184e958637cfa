"""Access to models, files and threads, and small pure helpers."""
