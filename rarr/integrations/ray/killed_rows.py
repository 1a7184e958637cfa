"""Knows which rows killed an actor, for all actors of a data set.

Ray Data begins a batch again on the actor that it restarts, as often as the actor dies. Without this, a row
that kills its process would be begun for ever.
"""

from collections import Counter
from collections.abc import Sequence


class KilledRows:
    """Counts for each row how often an actor was killed while it worked on the row.

    It runs as an actor of its own. The actors tell it when they begin and end a row. An actor keeps its name
    when it is restarted, and has another life.
    """

    def __init__(self) -> None:
        self._kills = Counter[bytes]()
        self._lives: dict[str, str] = {}
        self._begun: dict[str, Counter[bytes]] = {}

    def kills(self, actor: str, life: str, rows: Sequence[bytes]) -> list[int]:
        """Returns the kills of each row. The rows of an earlier life of the actor count as killed."""
        if self._lives.get(actor) != life:
            self._kills.update(self._begun.pop(actor, ()))
            self._lives[actor] = life
        return [self._kills[row] for row in rows]

    def begin(self, actor: str, row: bytes) -> None:
        """Notes that the actor begins a row."""
        self._begun.setdefault(actor, Counter())[row] += 1

    def end(self, actor: str, row: bytes) -> None:
        """Notes that the actor has finished a row."""
        begun = self._begun.get(actor, Counter[bytes]())  # none: this is told late, of an earlier life
        begun -= Counter((row,))
