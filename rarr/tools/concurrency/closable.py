"""What is closed at the end of a `with` or `async with` block."""

from abc import ABC, abstractmethod
from typing import Self

from rarr.tools.concurrency.background_loop import run


class Closable(ABC):
    """A base class for what has files or connections open."""

    @abstractmethod
    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""

    def close(self) -> None:
        """Closes files, and the connections of the calls that did not await; `aclose` closes the others."""
        run(self.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()
