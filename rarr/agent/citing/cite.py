"""Offers the public calls `cite` and `acite`."""

from collections.abc import Sequence
from typing import Any

from rarr.agent.revise import Reviser
from rarr.errors import InputError
from rarr.records import Passage
from rarr.records.citations import CitationPlace, CitationStyle, Cited
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread, run


def cite(
    text: str,
    context: str | None = None,
    *,
    passages: Sequence[Passage | str] | None = None,
    style: CitationStyle = "numbered",
    place: CitationPlace = "sentence",
    mark_unsupported: bool = False,
    **settings: Any,
) -> Cited:
    """Puts citations into one text, and changes nothing else of it.

    `passages` are searched instead of a corpus or the web: those that a model was given for its answer. A
    string gets the name "passage 1" and so on. In a text without a list of sources, `[1]` means passage 1.
    `style`, `place` and `mark_unsupported` are as in `Reviser.acite`; `settings` are the fields of
    `Settings`, such as `corpus="notes/"`.
    """
    with Reviser(_settings(passages, settings)) as reviser:
        return run(reviser.acite(text, context, style=style, place=place, mark_unsupported=mark_unsupported))


async def acite(
    text: str,
    context: str | None = None,
    *,
    passages: Sequence[Passage | str] | None = None,
    style: CitationStyle = "numbered",
    place: CitationPlace = "sentence",
    mark_unsupported: bool = False,
    **settings: Any,
) -> Cited:
    """`cite` for async callers."""
    async with await in_thread(lambda: Reviser(_settings(passages, settings))) as reviser:
        return await reviser.acite(text, context, style=style, place=place, mark_unsupported=mark_unsupported)


def _settings(passages: Sequence[Passage | str] | None, values: dict[str, Any]) -> Settings:
    settings = Settings(**values)
    if passages is None:
        return settings
    if settings.search is not None or settings.corpus is not None:
        raise InputError("passages and a corpus or search are both given: keep one")
    given = GivenPassages(passages, window=settings.window, step=settings.step)
    return Settings(**values | {"search": given})
