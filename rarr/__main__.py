"""Runs the command line with `python -m rarr`. This works also if the script `rarr` is not on the path."""

import sys

from rarr.cli import run

sys.exit(run())
