"""Holds the triples of a graph in memory, by subject, by object and by name."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarr.retrievers.graph.relations import ALIASES, NAMES
from rarr.retrievers.graph.triples import Triple, name_key, relation_words

_NAMED = 1000  # triples of a value; a value that more triples have names no entity that a text speaks of


class TripleStore:
    """Holds triples by number, in the order in which they came, each once.

    An entity is a number too: that of its id. A million triples take about 300 MB, most of it for names.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Reads the triples once. Relations for names and aliases become names of their subject."""
        self._numbers: dict[str, int] = {}  # by id
        self._names: list[str] = []
        self._relations: dict[str, int] = {}
        self._aliases: dict[int, list[str]] = {}
        self._same_values: dict[int, list[int]] = {}  # by subject, the values without an id of its name
        columns = (array("i"), array("i"), array("i"))
        for triple in triples:
            subject = self._number(triple.subject_id, triple.subject)
            words = relation_words(triple.relation)
            if words in ALIASES or words in NAMES:
                self._aliases.setdefault(subject, []).append(triple.object)
                continue
            relation = self._relations.setdefault(triple.relation, len(self._relations))
            row = (subject, relation, self._number(triple.object_id, triple.object))
            for column, number in zip(columns, row, strict=True):
                column.append(number)
        self._ids, self._relation_names = list(self._numbers), list(self._relations)
        rows = np.array([np.asarray(column, dtype=np.int32) for column in columns])
        self._rows = rows[:, np.sort(np.unique(rows, axis=1, return_index=True)[1])] if rows.size else rows
        self._by_subject, self._subject_starts = _grouped(self._rows[0], len(self._ids))
        self._by_object, self._object_starts = _grouped(self._rows[2], len(self._ids))
        self._by_name = self._name_index()
        self.longest_name = max((key.count(" ") + 1 for key in self._by_name), default=0)
        """The most words of a name."""

    def __len__(self) -> int:
        """The number of triples."""
        return int(self._rows.shape[1])

    def entities(self) -> Sequence[int]:
        """Returns the entities that are the subject of a triple."""
        return [int(number) for number in np.flatnonzero(np.diff(self._subject_starts))]

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
        return [self._triple(row) for row in self._rows_of(self._by_subject, self._subject_starts, entity)]

    def pointing_at(self, entity: int) -> list[Triple]:
        """Returns the triples of which the entity is the object; none of a value that very many have."""
        entities = (entity, *self._same_values.get(entity, ()))
        rows = [row for each in entities for row in self._rows_of(self._by_object, self._object_starts, each)]
        return [self._triple(row) for row in rows] if len(rows) <= _NAMED else []

    def _number(self, id_: str, name: str) -> int:
        number = self._numbers.setdefault(id_, len(self._names))
        if number == len(self._names):
            # The id of a value is its name: one text for both.
            self._names.append(id_ if id_ == name else name)
        return number

    def _rows_of(self, order: NDArray[Any], starts: NDArray[Any], entity: int) -> NDArray[Any]:
        return order[starts[entity] : starts[entity + 1]]

    def _triple(self, row: int) -> Triple:
        subject, relation, target = (int(number) for number in self._rows[:, row])
        return Triple(
            self._ids[subject],
            self._names[subject],
            self._relation_names[relation],
            self._ids[target],
            self._names[target],
        )

    def _name_index(self) -> dict[str, tuple[int, ...]]:
        """Indexes subjects by their names and aliases, and other values that are written as names.

        A value that has the name of one subject is this subject, though the graph gives it no id.
        """
        index: dict[str, tuple[int, ...]] = {}
        is_subject = np.diff(self._subject_starts) > 0
        for number in np.flatnonzero(is_subject):
            for each in (self._names[number], *self._aliases.get(int(number), ())):
                key = name_key(each)
                if key and number not in index.get(key, ()):
                    index[key] = (*index.get(key, ()), int(number))
        for number in np.flatnonzero(~is_subject):
            name = self._names[number]
            if not name[:1].isupper():
                continue
            subjects = index.setdefault(name_key(name), (int(number),))
            if len(subjects) == 1 and is_subject[subjects[0]] and self._ids[number] == name:
                self._same_values.setdefault(subjects[0], []).append(int(number))
        return index


def _grouped(column: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the rows in the order of `column`, and where those of each number begin."""
    order = np.argsort(column, kind="stable").astype(np.int32)
    return order, np.searchsorted(column[order], np.arange(size + 1))
