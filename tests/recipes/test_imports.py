"""What a command of `recipes/` loads."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_calibration_needs_no_torch() -> None:
    program = "import sys, recipes.calibrate; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
