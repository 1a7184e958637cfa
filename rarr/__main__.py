"""Runs the command line as `python -m rarr`, which works if the script `rarr` is not on the path."""

import sys

from rarr.cli import run

sys.exit(run())
