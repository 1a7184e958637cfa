"""Searches the graph of a file: an entity is a document, and a triple a passage of it."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.triples import (
    ALIASES,
    Triple,
    name_key,
    rank_of,
    read_triples,
    relation_words,
    sentence_of,
    value_forms,
    words_of,
)
from rarr.retrievers.reranking import nearest
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import counted, shown

_LONGEST_CARD = 500  # triples of an entity that are written as sentences
_MOST_POINTING = 1000  # a value that more triples have names no entity that a text speaks of
_LONGEST = 12  # words of a name that are looked for
_BESIDE = 3  # words on each side of a name


class Mention(NamedTuple):
    """A name in a text, `start` to `end`, with the entities that it may mean.

    One entity: the name means it. Several: the text does not tell which of them.
    """

    name: str
    start: int
    end: int
    entities: tuple[str, ...]


class Graph:
    """A retriever over the triples of a file: CSV, JSON lines or RDF. It reaches no network.

    An entity is a document, and is named by its id. The text about it has a line for each relation, which is
    a sentence with all its values.
    """

    offline = True  # can be used with the setting `offline`

    def __init__(self, triples: Iterable[Triple], place: str = "graph", window: int = 4) -> None:
        """Reads the triples once, and holds each once. Relations for names become names of their subject.

        `place` names the graph in sources; a passage has at most `window` lines. Raises `InputError` without
        a triple.
        """
        self._place, self._window = place, window
        self.names: dict[str, str] = {}
        """The name of each entity, by its id."""
        self._by_subject: dict[str, list[Triple]] = defaultdict(list)
        self._by_object: dict[str, list[Triple]] = defaultdict(list)
        aliases: dict[str, list[str]] = defaultdict(list)
        texts, known = dict[str, str](), set[Triple]()
        for each in triples:
            triple = Triple(*(texts.setdefault(text, text) for text in each))  # each text once in memory
            self.names.setdefault(triple.subject_id, triple.subject)
            if relation_words(triple.relation) in ALIASES:
                aliases[triple.subject_id].append(triple.object)
            elif triple not in known:
                known.add(triple)
                self.names.setdefault(triple.object_id, triple.object)
                self._by_subject[triple.subject_id].append(triple)
                self._by_object[triple.object_id].append(triple)
        self.by_name = self._indexed(aliases)
        """The entities with a name or alias, by the form of it that `name_key` makes; {} without a triple."""
        if not self.by_name:
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

    def linked(self, text: str, around: str = "") -> list[Mention]:
        """Finds the names and aliases of the graph that stand in `text`, the longest first, without overlaps.

        In a text of small letters alone, names of two words and more count as well.

        Of several entities with the name, the one is taken of which most neighbours are named near it: beside
        it ("the botanist Jonah Strake"), else in its sentence, else in `text` and `around`. A tie leaves all
        of the best, with a warning.
        """
        mentions, words = list[Mention](), words_of(text)
        for at, (_, start, _) in enumerate(words):
            if mentions and start < mentions[-1].end:
                continue
            for to in range(min(at + _LONGEST, len(words)), at, -1):
                entities = self.by_name.get(" ".join(word for word, _, _ in words[at:to]), ())
                place, is_long = Span(start, words[to - 1][2]), to - at > 1 and text.islower()
                if entities and (is_long or self._may_be_name(entities, place.of(text))):
                    chosen = self._chosen(entities, text, place, around)
                    mentions.append(Mention(place.of(text), *place, chosen))
                    break
        for name, *_, ids in mentions:
            if len(ids) > 1:
                listed = f"{', '.join(map(shown, ids[:3]))}{', ...' * (len(ids) > 3)}"
                which = f"{counted(len(ids), 'entity')} of the graph named {shown(name)!r} ({listed})"
                cure = "and the text does not tell which is meant: name a fact of it"
                meter().warn("ambiguous_name", f"{which}, {cure}")
        return mentions

    def _may_be_name(self, entities: Sequence[str], written: str) -> bool:
        """Is it no mere word: a number, stop words, or a word in small letters for a name in capitals?"""
        if len(written) < 2 or written.isdigit() or STOP_WORDS.issuperset(name_key(written).split()):
            return False
        is_name = all(self.names[entity][:1].isupper() for entity in entities)
        return not is_name or any(letter.isupper() for letter in written)

    def _chosen(self, entities: Sequence[str], text: str, place: Span, around: str) -> tuple[str, ...]:
        """Returns the entities with most neighbours in the nearest words that tell them apart."""
        if len(entities) < 2:
            return tuple(entities)
        sentence = [place, *(span for span in sentences(text) if span.start <= place.start)][-1]
        before, after = text[sentence.start : place.start], text[place.end : max(sentence.end, place.end)]
        beside = " ".join([*before.split()[-_BESIDE:], "|", *after.split()[:_BESIDE]])
        elsewhere = f"{text[: place.start]} | {text[place.end :]} | {around}"
        for window in (beside, f"{before} | {after}", elsewhere):
            counts = [len(self._named_values(entity, window)) for entity in entities]
            entities = [it for it, count in zip(entities, counts, strict=True) if count == max(counts)]
        return tuple(entities)

    def _named_values(self, entity: str, window: str) -> set[str]:
        """Returns the neighbours of the entity that the window names, by more than words of its own name."""
        keyed, own = f" {' '.join(stems(window))} ", set(name_key(self.names[entity]).split())
        values = {it.object for it in self.around(entity)} | {it.subject for it in self._pointing(entity)}
        forms = ((value, form) for value in values for form in value_forms(value))
        return {
            value
            for value, form in forms
            if f" {' '.join(stems(form))} " in keyed and not set(name_key(form).split()) <= own
        }

    def around(self, entity: str) -> list[Triple]:
        """Returns the triples of which the entity is the subject, in the order of the graph."""
        return self._by_subject.get(entity, [])

    def triples(self, entity: str) -> list[tuple[Triple, Passage]]:
        """Returns the triples about an entity, each with the line of the text about the entity that says it.

        A line says all triples of one relation.
        """
        by_relation: dict[str, list[Triple]] = {}
        for triple in self.around(entity)[:_LONGEST_CARD]:
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
        triples = [each for each in self._pointing(entity) if each.subject_id != entity]
        return [it for each in triples for it in self.triples(each.subject_id) if it[0] == each]

    def _pointing(self, entity: str) -> list[Triple]:
        """Returns the triples of which the entity is the object; none of a value that very many have."""
        triples = self._by_object.get(entity, [])
        return triples if len(triples) <= _MOST_POINTING else []

    def _indexed(self, aliases: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
        """Indexes subjects by their names and aliases, and other values that are written as names.

        A value that has the name of one subject is this subject, though the graph gives it no id.
        """
        index = dict[str, tuple[str, ...]]()
        for id_ in self._by_subject:
            for key in map(name_key, (self.names[id_], *aliases.get(id_, ()))):
                if key and id_ not in index.get(key, ()):
                    index[key] = (*index.get(key, ()), id_)
        for id_, name in self.names.items():
            if id_ not in self._by_subject and name[:1].isupper():
                subjects = index.setdefault(name_key(name), (id_,))
                if len(subjects) == 1 and subjects[0] != id_ == name:
                    self._by_object[subjects[0]] += self._by_object[id_]
        return index

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
