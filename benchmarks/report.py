"""What every benchmark prints: the machine, and shares with their intervals."""

import math
import os
import platform
from collections.abc import Sequence


def machine() -> str:
    """The machine in a few words."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def share(hits: Sequence[bool]) -> str:
    """`hits` as count, share and 95% Wilson interval."""
    n, k = len(hits), sum(hits)
    if not n:
        return "0/0"
    z = 1.96
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    return f"{k}/{n} = {k / n:.3f} [{max(centre - half, 0):.3f}, {min(centre + half, 1):.3f}]"
