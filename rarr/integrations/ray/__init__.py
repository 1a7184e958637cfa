"""Revises the rows of data sets of Ray Data, on all machines of a cluster (extra `ray`)."""

from rarr.integrations.ray.dataset import revise

__all__ = ["revise"]
