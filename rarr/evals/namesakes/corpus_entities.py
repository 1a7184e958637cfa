"""Finds the names that several documents of a corpus share, and makes entities of these documents."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.evals.namesakes.property_reading import opening_name, opening_properties, opening_type
from rarr.evals.namesakes.records import CorpusDocument, Entity

_QUALIFIED = re.compile(r"(?P<name>[^()]*[^()\s])\s*\((?P<qualifier>[^()]+)\)\s*")
_PLACED = re.compile(r"(?P<name>[^(),]+),\s+(?P<qualifier>[A-Z][^,]{3,})")
_NOUN = re.compile(r"[a-z]{3,}")


class SharedName(NamedTuple):
    """A name, and the documents about things of this name."""

    name: str
    documents: tuple[CorpusDocument, ...]


def shared_names(documents: Sequence[CorpusDocument]) -> list[SharedName]:
    """Lists the names that several documents share: by titles without their qualifier, and by openings.

    A title's qualifier stands in brackets, or is a place after a comma. The name in an opening counts if the
    title has it too: "Apollo 11 was ..." on the page "Apollo". Copies of a page, with the same title and
    type, are about the same thing.
    """
    groups: dict[str, list[CorpusDocument]] = defaultdict(list)
    names: dict[str, str] = {}
    for document in documents:
        for name in _names(document):
            names.setdefault(name.casefold(), name)
            groups[name.casefold()].append(document)
    return [
        SharedName(names[key], tuple(groups[key]))
        for key in sorted(groups)
        if len({_identity(document) for document in groups[key]}) > 1
    ]


def corpus_entities(
    documents: Sequence[CorpusDocument], popularity: Mapping[str, float] | None = None
) -> list[Entity]:
    """Makes an entity of each thing that shares its name, with properties that its pages state.

    `popularity` is by the names of documents; without it, it is the number of words of the pages.
    """
    entities: dict[tuple[str, str, str], Entity] = {}
    for shared in shared_names(documents):
        things: dict[tuple[str, str], list[CorpusDocument]] = defaultdict(list)
        for document in shared.documents:
            things[_identity(document)].append(document)
        for identity, pages in things.items():
            entities[(shared.name, *identity)] = _entity(shared.name, pages, popularity)
    return [*entities.values()]


def other_entities(documents: Sequence[CorpusDocument]) -> list[Entity]:
    """Makes an entity of each page whose name no other has, for values of their properties."""
    shared = {document.name for name in shared_names(documents) for document in name.documents}
    return [
        _entity(document.title or document.name, [document], None)
        for document in documents
        if document.name not in shared
    ]


def _names(document: CorpusDocument) -> list[str]:
    """Returns the name in the title without its qualifier, and that of the opening if the title begins so."""
    match = _QUALIFIED.fullmatch(document.title) or _PLACED.fullmatch(document.title)
    titled = (match["name"] if match else document.title).strip()
    opened = opening_name(document.text)
    begins = opened and document.title.casefold().removeprefix("the ").startswith(opened.casefold())
    found = {name.casefold(): name for name in (titled, opened if begins else "") if name}
    return [*found.values()]


def _identity(document: CorpusDocument) -> tuple[str, str]:
    """What tells the thing from its namesakes: its whole title, and its type."""
    return document.title.casefold(), document_type(document)


def document_type(document: CorpusDocument) -> str:
    """Reads the noun for the kind of the page's subject: from the title's qualifier, or else the opening."""
    if match := _QUALIFIED.fullmatch(document.title):
        words = match["qualifier"].split()
        if words and _NOUN.fullmatch(words[-1]):
            return str(words[-1])
    return opening_type(document.text)


def _entity(name: str, pages: Sequence[CorpusDocument], popularity: Mapping[str, float] | None) -> Entity:
    words = sum(len(page.text.split()) for page in pages)
    known = [popularity[page.name] for page in pages if popularity and page.name in popularity]
    kind = document_type(pages[0])
    return Entity(
        id=pages[0].name,
        name=name,
        types=(kind,) if kind else (),
        properties=opening_properties(pages[0].text),
        popularity=max(known, default=words),
        documents=tuple(page.name for page in pages),
    )
