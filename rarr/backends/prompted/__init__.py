"""Components that ask a language model with prompts. They have the interfaces of `components.py`."""
