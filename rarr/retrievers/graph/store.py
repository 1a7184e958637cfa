"""Holds the triples of a graph in memory, by subject, by object and by name."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rarr.retrievers.graph.relations import ALIASES, NAMES
from rarr.retrievers.graph.triples import Triple, name_key, relation_words

_NAMED = 1000  # triples of a value; a value that more triples have names no entity that a text speaks of


class TripleStore:
    """Holds triples in the order in which they came, each once. An entity is the number of its id."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Reads the triples once. Relations for names and aliases become names of their subject."""
        self._numbers: dict[str, int] = {}  # by id
        self._names: list[str] = []
        self._triples: set[Triple] = set()
        self._by_subject: dict[int, list[Triple]] = defaultdict(list)
        self._by_object: dict[int, list[Triple]] = defaultdict(list)
        aliases: dict[int, list[str]] = defaultdict(list)
        texts: dict[str, str] = {}
        for each in triples:
            triple = Triple(*(texts.setdefault(text, text) for text in each))  # each text once in memory
            subject = self._number(triple.subject_id, triple.subject)
            if relation_words(triple.relation) in ALIASES | NAMES:
                aliases[subject].append(triple.object)
            elif triple not in self._triples:
                self._triples.add(triple)
                self._by_subject[subject].append(triple)
                self._by_object[self._number(triple.object_id, triple.object)].append(triple)
        self._ids = list(self._numbers)
        self._by_name: dict[str, tuple[int, ...]] = {}
        self._same_values: dict[int, list[int]] = defaultdict(list)  # by subject, values without an id
        self._index_names(aliases)
        self.longest_name = max((key.count(" ") + 1 for key in self._by_name), default=0)
        """The most words of a name."""

    def __len__(self) -> int:
        """The number of triples."""
        return len(self._triples)

    def entities(self) -> Sequence[int]:
        """Returns the entities that are the subject of a triple."""
        return sorted(self._by_subject)

    def name(self, entity: int) -> str:
        return self._names[entity]

    def id(self, entity: int) -> str:
        return self._ids[entity]

    def number(self, id_: str) -> int | None:
        """Returns the entity with this id; None if there is none."""
        return self._numbers.get(id_)

    def named(self, key: str) -> Sequence[int]:
        """Returns the entities with the name or alias `key`, as `name_key` makes it."""
        return self._by_name.get(key, ())

    def around(self, entity: int) -> list[Triple]:
        """Returns the triples of which the entity is the subject, in the order of the graph."""
        return list(self._by_subject.get(entity, ()))

    def pointing_at(self, entity: int) -> list[Triple]:
        """Returns the triples of which the entity is the object; none of a value that very many have."""
        entities = (entity, *self._same_values.get(entity, ()))
        triples = [triple for each in entities for triple in self._by_object.get(each, ())]
        return triples if len(triples) <= _NAMED else []

    def _number(self, id_: str, name: str) -> int:
        number = self._numbers.setdefault(id_, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number

    def _index_names(self, aliases: dict[int, list[str]]) -> None:
        """Indexes subjects by their names and aliases, and other values that are written as names.

        A value that has the name of one subject is this subject, though the graph gives it no id.
        """
        index = self._by_name
        for number in self.entities():
            for each in (self._names[number], *aliases.get(number, ())):
                key = name_key(each)
                if key and number not in index.get(key, ()):
                    index[key] = (*index.get(key, ()), number)
        for number, name in enumerate(self._names):
            if number in self._by_subject or not name[:1].isupper():
                continue
            subjects = index.setdefault(name_key(name), (number,))
            if len(subjects) == 1 and subjects[0] in self._by_subject and self._ids[number] == name:
                self._same_values[subjects[0]].append(number)
