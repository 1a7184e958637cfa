"""Searches the graph of a file: an entity is a document, and a triple a passage of it."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.graph.relations import rank_of, sentence_of
from rarr.retrievers.graph.store import Mention, TripleStore, linked_names
from rarr.retrievers.graph.triples import Triple, read_triples
from rarr.retrievers.rerank.overlap import nearest
from rarr.tools.models.run_budget import meter
from rarr.tools.text.wording import counted, shown

_LONGEST_CARD = 500  # triples of an entity that are written as sentences


class Graph:
    """A retriever over the triples of a file: CSV, JSON lines or RDF. It reaches no network.

    An entity is a document. The text about it has a line for each relation, which is a sentence with all its
    values. `store` holds the triples.
    """

    offline = True  # can be used with the setting `offline`

    def __init__(self, triples: Iterable[Triple], place: str = "graph", window: int = 4) -> None:
        """Holds the triples. `place` names the graph in sources; a passage has at most `window` lines.

        Raises `InputError` without a triple.
        """
        self.store, self._place, self._window = TripleStore(triples), place, window
        if not self.store.by_name:
            raise InputError(f"graph {shown(place)} has no triple: give subject, relation and object a line")

    @classmethod
    def open(cls, file: str | Path, window: int = 4) -> Self:
        """Reads a file. Raises `InputError` with the line of a mistake, and `SetupError`."""
        return cls(read_triples(Path(file).expanduser()), str(file), window)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` entities that the query names first, and of those pointing at them.

        At most 8 of each entity. A name that several entities have gives none, with a warning, where neither
        the query nor the text of the run tells which is meant.
        """
        return await asyncio.to_thread(self._search, query, k, meter().text)

    async def extracted(self, url: str) -> str | None:
        """Returns the text about the entity whose passages have this source; None if it has no triple."""
        id_ = url.removeprefix(f"{self._place}#")
        lines = await asyncio.to_thread(self._lines, id_) if self._source(id_) == url else []
        return "\n".join(line.text for line in lines) or None

    async def aclose(self) -> None:
        """Closes nothing: the file was read when it was opened."""

    def linked(self, text: str, around: str = "") -> list[Mention]:
        """Finds the names of the graph in `text`; warns of those that may mean several entities."""
        mentions = linked_names(self.store, text, around)
        for name, *_, ids in mentions:
            if len(ids) > 1:
                listed = f"{', '.join(map(shown, ids[:3]))}{', ...' * (len(ids) > 3)}"
                which = f"{counted(len(ids), 'entity')} of the graph named {shown(name)!r} ({listed})"
                cure = "and the text does not tell which is meant: name a fact of it"
                meter().warn("ambiguous_name", f"{which}, {cure}")
        return mentions

    def triples(self, entity: str) -> list[tuple[Triple, Passage]]:
        """Returns the triples about an entity, each with the line of the text about the entity that says it.

        A line says all triples of one relation.
        """
        by_relation: dict[str, list[Triple]] = {}
        for triple in self.store.around(entity)[:_LONGEST_CARD]:
            by_relation.setdefault(triple.relation, []).append(triple)
        start, found = 0, list[tuple[Triple, Passage]]()
        facts = {"source": self._source(entity), "retrieved_at": datetime.now(UTC)}
        for relation in sorted(by_relation, key=rank_of):
            group = by_relation[relation]
            title, values = group[0].subject, [triple.object for triple in group]
            text = sentence_of(title, relation, values)
            line = Passage(text=text, title=title, start=start, end=start + len(text), **facts)
            found += [(triple, line) for triple in group]
            start = line.end + 1
        return found

    def pointing_at(self, entity: str) -> list[tuple[Triple, Passage]]:
        """Returns the triples of other entities that have the entity as their value."""
        triples = [each for each in self.store.pointing_at(entity) if each.subject_id != entity]
        return [it for each in triples for it in self.triples(each.subject_id) if it[0] == each]

    def _lines(self, entity: str) -> list[Passage]:
        return list({line.start: line for _, line in self.triples(entity)}.values())

    def _search(self, query: str, k: int, around: str) -> list[Passage]:
        sure = [it.entities[0] for it in self.linked(query, around) if len(it.entities) == 1]
        found = [list(nearest(self._passages(entity), query)) for entity in sure]
        found += [[line] for entity in sure for _, line in self.pointing_at(entity)]
        documents: dict[str, list[Passage]] = {}
        for passages in filter(None, found):
            documents.setdefault(passages[0].source, passages)
        return [it for passages in [*documents.values()][:k] for it in passages[:PASSAGES_PER_DOCUMENT]]

    def _source(self, id_: str) -> str:
        """Returns the address of the entity with this id: the id itself, or its place in the graph."""
        return id_ if "://" in id_ else f"{self._place}#{id_}"

    def _passages(self, entity: str) -> list[Passage]:
        """Cuts the text about an entity into windows of lines: texts often state several facts at once."""
        lines = self._lines(entity)
        starts = range(max(1, len(lines) - self._window + 1) if lines else 0)
        groups = [lines[first : first + self._window] for first in starts]
        return [
            group[0].model_copy(update={"text": "\n".join(it.text for it in group), "end": group[-1].end})
            for group in groups
        ]
