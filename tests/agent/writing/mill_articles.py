"""Articles about mills for tests: a search, the answers of a model, and the check of an article.

Each section is about one mill. The drafts of the first sections have a wrong year and a wrong citation.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from benchmarks import mills
from rarr import Article, Settings
from rarr.records import Passage

TOPIC = "Watermills of the parish"


class MillSearch(mills.SlowDocuments):
    """A search that finds the document about a mill, and for the topic those about the first three mills."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """One passage of each document."""
        if query != TOPIC:
            return await super().retrieve(query, k)
        found = await asyncio.gather(
            *(mills.SlowDocuments.retrieve(self, mills.mill(number), k) for number in range(3))
        )
        return [passage for passages in found for passage in passages]


def answers(sections: int, wrong: int) -> Any:
    """The answers of a model that plans `sections` sections, and writes the first `wrong` with an error."""

    def answer(request: Any) -> dict[str, Any]:
        if request.prompt == "outline":
            return {"sections": [mills.mill(number) for number in range(sections)]}
        if request.prompt != "write_section":
            return mills.answer(request)
        number = mills.number_of(re.findall(r"^Section: (.+)$", request.user, re.MULTILINE)[-1])
        mark = "[7]" if number < wrong else "[1]"
        return {"text": f"{mills.text_of(1, int(number < wrong), number)} {mark}"}

    return answer


def settings_of(model: Any, search: Any, **more: Any) -> Settings:
    """The settings of a run: everything is asked anew."""
    return Settings(model=model, search=search, **more)


def require_right(article: Article, sections: int) -> None:
    """Fails unless each section has the right year, and a citation of its mill."""
    for number in range(sections):
        assert mills.text_of(1, 0, number) in article.text, (article.text, article.warnings)
    assert [citation.passage.source for citation in article.citations] == [
        f"mills/{number}.md" for number in range(sections)
    ]
