"""A writer of articles that answers from a script."""

from collections.abc import Mapping, Sequence

from component_doubles import Double, unless_failing

from rarr.components import SectionSource
from rarr.records import Evidence


class ScriptedWriter(Double):
    """Writes the given sections. `calls` are (what was asked, heading or topic).

        ScriptedWriter({"History": "It opened in 1976 [1].", "Design": TimeoutError("no answer")})

    A section that is not in the script is empty. The headings are those of the script, unless `outline` gives
    others. An exception is raised in place of a text.
    """

    def __init__(
        self, sections: Mapping[str, str | Exception], *, outline: Sequence[str] | Exception | None = None
    ) -> None:
        super().__init__(sections)
        self._outline = list(sections) if outline is None else outline

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the scripted headings."""
        self.scripted("outline", topic)
        return unless_failing(self._outline)  # type: ignore[no-any-return]

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Returns the scripted text of the section."""
        heading = sources[at].section.heading
        return str(unless_failing(self.scripted("section", heading).get(heading, "")))

    async def article(self, topic: str, chunks: Sequence[Evidence], most: int) -> Sequence[tuple[str, str]]:
        """Returns all scripted sections."""
        sections = self.scripted("article", topic)
        return [(heading, unless_failing(text)) for heading, text in sections.items()]
