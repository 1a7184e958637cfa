"""Searches a knowledge graph in a file. Each entity is a document, whose passages state its triples."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.corpus.index_words import STOP_WORDS, all_stems
from rarr.retrievers.graph.triples import (
    ALIAS_RELATIONS,
    Triple,
    fact_text,
    folded_words,
    name_key,
    read_triples,
    relation_rank,
    relation_words,
    value_forms,
)
from rarr.retrievers.reranking import nearest
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import counted, safe_text

_MOST_TRIPLES = 500  # the most triples of an entity that are written as sentences
_MOST_POINTING = 1000  # a value of more triples is too common to be a topic of texts
_LONGEST_NAME = 12  # the most words of a name
_WORDS_BESIDE = 3  # words on each side of a name, which may show the entity


class Mention(NamedTuple):
    """A name in a text. `entities`: ids of the entities that the name may mean."""

    name: str
    start: int
    end: int
    entities: tuple[str, ...]


class Graph:
    """A retriever over the triples of a file: CSV, JSON lines or RDF. It uses no network.

    A triple states that the relation of an entity has a value. An entity is a document, named by its id. The
    document has one line for each relation: a sentence with all values of the relation.
    """

    offline = True  # the setting `offline` allows it

    def __init__(self, triples: Iterable[Triple], place: str = "graph", window: int = 4) -> None:
        """Stores each triple once. A triple with a relation such as "alias" gives its subject another name.

        `place` names the graph in the sources of passages. A passage has at most `window` lines. Raises
        `InputError` if there is no triple.
        """
        self._place, self._window = place, window
        self.names: dict[str, str] = {}
        """Maps the id of each entity to its name."""
        self._by_subject: dict[str, list[Triple]] = defaultdict(list)
        self._by_object: dict[str, list[Triple]] = defaultdict(list)
        aliases: dict[str, list[str]] = defaultdict(list)
        texts, known = dict[str, str](), set[Triple]()
        for each in triples:
            triple = Triple(*(texts.setdefault(text, text) for text in each))  # each text once in memory
            self.names.setdefault(triple.subject_id, triple.subject)
            if relation_words(triple.relation) in ALIAS_RELATIONS:
                aliases[triple.subject_id].append(triple.object)
            elif triple not in known:
                known.add(triple)
                self.names.setdefault(triple.object_id, triple.object)
                self._by_subject[triple.subject_id].append(triple)
                self._by_object[triple.object_id].append(triple)
        self.by_name = self._index_of_names(aliases)
        """Maps the `name_key` of each name or alias to the ids of the entities with this name."""
        if not self.by_name:
            raise InputError(f"graph {safe_text(place)} has no triple: give subject, relation and object")

    @classmethod
    def open(cls, file: str | Path, window: int = 4) -> Self:
        """Reads a graph. Raises the errors of `read_triples`, and `InputError` if `file` has no triple."""
        return cls(read_triples(Path(file).expanduser()), str(file), window)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of `k` entities: those that `query` names, then those of which it names a value.

        Returns at most 8 passages of each entity. If a name means several entities, and neither the query nor
        the text of the run shows which of them, warns and returns no passage for this name.
        """
        return await asyncio.to_thread(self._search, query, k, meter().text)

    async def extracted(self, url: str) -> str | None:
        """Returns the text about the entity whose source is `url`; None if no entity has this source."""
        id_ = url.removeprefix(f"{self._place}#")
        lines = await asyncio.to_thread(self._lines, id_) if self._source(id_) == url else []
        return "\n".join(line.text for line in lines) or None

    def mentions_in(self, text: str, around: str = "") -> list[Mention]:
        """Finds names and aliases of the graph in `text`. Where names overlap, takes the first and longest.

        Finds names of several words also if `text` has no capital letter. If several entities have a name,
        keeps the entities with most neighbours (values and subjects of their triples) beside the name, then
        in its sentence, then in `text` and `around`. Warns if several entities remain.
        """
        mentions, words = list[Mention](), folded_words(text)
        for at, (_, start, _) in enumerate(words):
            if mentions and start < mentions[-1].end:
                continue
            for to in range(min(at + _LONGEST_NAME, len(words)), at, -1):
                entities = self.by_name.get(" ".join(word for word, _, _ in words[at:to]), ())
                place, is_long = Span(start, words[to - 1][2]), to - at > 1 and text.islower()
                if entities and (is_long or self._looks_like_name(place.of(text), entities)):
                    chosen = self._likely_ids(entities, text, place, around)
                    mentions.append(Mention(place.of(text), *place, chosen))
                    break
        for name, *_, ids in mentions:
            if len(ids) > 1:
                listed = f"{', '.join(map(safe_text, ids[:3]))}{', ...' * (len(ids) > 3)}"
                which = f"{counted(len(ids), 'entity')} of the graph named {safe_text(name)!r} ({listed})"
                cure = "and the text does not show which is meant: add a fact about it"
                meter().warn("ambiguous_name", f"{which}, {cure}")
        return mentions

    def _looks_like_name(self, written: str, entities: Sequence[str]) -> bool:
        """Tells whether `written` looks like a name. It needs a capital if all `entities` begin with one."""
        if len(written) < 2 or written.isdigit() or STOP_WORDS.issuperset(name_key(written).split()):
            return False
        is_name = all(self.names[entity][:1].isupper() for entity in entities)
        return not is_name or any(letter.isupper() for letter in written)

    def _likely_ids(self, entities: Sequence[str], text: str, place: Span, around: str) -> tuple[str, ...]:
        """Returns the entities with most neighbours (see `mentions_in`): beside `place`, or further away."""
        if len(entities) < 2:
            return tuple(entities)
        sentence = [place, *(span for span in sentences(text) if span.start <= place.start)][-1]
        before, after = text[sentence.start : place.start], text[place.end : max(sentence.end, place.end)]
        beside = " ".join([*before.split()[-_WORDS_BESIDE:], "|", *after.split()[:_WORDS_BESIDE]])
        elsewhere = f"{text[: place.start]} | {text[place.end :]} | {around}"
        for window in (beside, f"{before} | {after}", elsewhere):
            counts = [len(self._neighbours_in(entity, window)) for entity in entities]
            entities = [it for it, count in zip(entities, counts, strict=True) if count == max(counts)]
        return tuple(entities)

    def _neighbours_in(self, entity: str, window: str) -> set[str]:
        """Returns the values and subjects of an entity's triples in `window`, without parts of its name."""
        keyed, own = f" {' '.join(all_stems(window))} ", set(name_key(self.names[entity]).split())
        values = {it.object for it in self.triples_of(entity)} | {it.subject for it in self._incoming(entity)}
        forms = ((value, form) for value in values for form in value_forms(value))
        return {
            value
            for value, form in forms
            if f" {' '.join(all_stems(form))} " in keyed and not set(name_key(form).split()) <= own
        }

    def triples_of(self, entity: str) -> list[Triple]:
        """Returns the triples whose subject is the entity, in the order of the graph."""
        return self._by_subject.get(entity, [])

    def triples_with_lines(self, entity: str) -> list[tuple[Triple, Passage]]:
        """Returns (triple, passage) for each triple of an entity. A passage has all values of a relation."""
        by_relation: dict[str, list[Triple]] = {}
        for triple in self.triples_of(entity)[:_MOST_TRIPLES]:
            by_relation.setdefault(triple.relation, []).append(triple)
        start, found = 0, list[tuple[Triple, Passage]]()
        facts = {"source": self._source(entity), "retrieved_at": datetime.now(UTC)}
        for relation in sorted(by_relation, key=relation_rank):
            group = by_relation[relation]
            title, values = group[0].subject, [triple.object for triple in group]
            text = fact_text(title, relation, values)
            line = Passage(text=text, title=title, start=start, end=start + len(text), **facts)
            found += [(triple, line) for triple in group]
            start = line.end + 1
        return found

    def triples_pointing_at(self, entity: str) -> list[tuple[Triple, Passage]]:
        """Returns each triple of another entity whose object is `entity`, with a sentence that states it."""
        triples = [each for each in self._incoming(entity) if each.subject_id != entity]
        return [it for each in triples for it in self.triples_with_lines(each.subject_id) if it[0] == each]

    def _incoming(self, entity: str) -> list[Triple]:
        """Returns the triples whose object is the entity; [] if more than 1,000 triples have this object."""
        triples = self._by_object.get(entity, [])
        return triples if len(triples) <= _MOST_POINTING else []

    def _index_of_names(self, aliases: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
        """Maps names and aliases (as `name_key`) to ids of subjects, or to the id of a capitalised value."""
        index = dict[str, tuple[str, ...]]()
        for id_ in self._by_subject:
            for key in map(name_key, (self.names[id_], *aliases.get(id_, ()))):
                if key and id_ not in index.get(key, ()):
                    index[key] = (*index.get(key, ()), id_)
        for id_, name in self.names.items():
            if id_ not in self._by_subject and name[:1].isupper():
                subjects = index.setdefault(name_key(name), (id_,))
                if len(subjects) == 1 and subjects[0] != id_ == name:  # the value means this subject
                    self._by_object[subjects[0]] += self._by_object[id_]
        return index

    def _lines(self, entity: str) -> list[Passage]:
        return list({line.start: line for _, line in self.triples_with_lines(entity)}.values())

    def _search(self, query: str, k: int, around: str) -> list[Passage]:
        sure = [it.entities[0] for it in self.mentions_in(query, around) if len(it.entities) == 1]
        found = [list(nearest(self._passages(entity), query)) for entity in sure]
        found += [[line] for entity in sure for _, line in self.triples_pointing_at(entity)]
        documents: dict[str, list[Passage]] = {}
        for passages in filter(None, found):
            documents.setdefault(passages[0].source, passages)
        return [it for passages in [*documents.values()][:k] for it in passages[:PASSAGES_PER_DOCUMENT]]

    def _source(self, id_: str) -> str:
        """Returns the source of passages about an entity: its id if the id is an address, else PLACE#ID."""
        return id_ if "://" in id_ else f"{self._place}#{id_}"

    def _passages(self, entity: str) -> list[Passage]:
        """Cuts the text about an entity into windows of lines, since a claim often states several facts."""
        lines = self._lines(entity)
        starts = range(max(1, len(lines) - self._window + 1) if lines else 0)
        groups = [lines[first : first + self._window] for first in starts]
        return [
            group[0].model_copy(update={"text": "\n".join(it.text for it in group), "end": group[-1].end})
            for group in groups
        ]
