"""Reads the CPU time and the memory of worker processes from /proc, so this needs Linux."""

import os
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PARENT, _USER, _SYSTEM, _RESIDENT = 1, 11, 12, 21
"""Places of the fields of /proc/PID/stat behind the name of the program."""


class Processes(NamedTuple):
    """Some processes: how many they are, their CPU seconds in all, and the mean of their memory."""

    number: int
    cpu_s: float
    mean_mb: float

    @classmethod
    def grandchildren(cls) -> "Processes":
        """Reads the children of the children of this process: workers, which a server of forks starts."""
        fields = _fields()
        children = {pid for pid, found in fields.items() if int(found[_PARENT]) == os.getpid()}
        workers = [found for found in fields.values() if int(found[_PARENT]) in children]
        cpu_s = sum(int(found[_USER]) + int(found[_SYSTEM]) for found in workers) / _TICKS
        pages = sum(int(found[_RESIDENT]) for found in workers)
        megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return cls(len(workers), cpu_s, megabytes / max(1, len(workers)))


def _fields() -> dict[int, list[str]]:
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
    return found
