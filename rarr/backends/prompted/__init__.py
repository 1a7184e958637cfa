"""What a node may use, prompted: any language model behind the interfaces of `agent/components.py`."""
