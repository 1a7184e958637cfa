"""Offers a test double for the writers of articles."""

from collections.abc import Mapping, Sequence

from rarr.components import SectionSource
from rarr.records import Evidence


class ScriptedWriter:
    """Writes the given sections. `calls` are (what was asked, heading or topic).

        ScriptedWriter({"History": "It opened in 1976 [1].", "Design": TimeoutError("no answer")})

    A section that is not in the script is empty. The headings are those of the script, unless `outline` gives
    others. An exception is raised in place of a text.
    """

    def __init__(
        self,
        sections: Mapping[str, str | Exception],
        *,
        outline: Sequence[str] | Exception | None = None,
    ) -> None:
        self.calls: list[tuple[str, str]] = []
        self._sections = sections
        self._outline = list(sections) if outline is None else outline

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the scripted headings."""
        self.calls.append(("outline", topic))
        if isinstance(self._outline, Exception):
            raise self._outline
        return self._outline

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Returns the scripted text of the section."""
        heading = sources[at].section.heading
        self.calls.append(("section", heading))
        return _text(self._sections.get(heading, ""))

    async def article(self, topic: str, chunks: Sequence[Evidence], most: int) -> Sequence[tuple[str, str]]:
        """Returns all scripted sections."""
        self.calls.append(("article", topic))
        return [(heading, _text(text)) for heading, text in self._sections.items()]


def _text(given: str | Exception) -> str:
    if isinstance(given, Exception):
        raise given
    return given
