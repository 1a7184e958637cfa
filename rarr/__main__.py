"""`python -m rarr`: the command line, where the script `rarr` is not on the path."""

import sys

from rarr.cli import run

sys.exit(run())
