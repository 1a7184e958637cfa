"""Language models, asked by prompts, behind the interfaces of `components.py` that the nodes use."""
