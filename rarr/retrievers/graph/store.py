"""Indexes triples by subject, value and name, and finds the entities that a text names."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.relations import ALIASES, PERSONAL, rank_of
from rarr.retrievers.graph.triples import Triple, name_key, relation_words, value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span, sentences

_MOST_POINTING = 1000  # a value that more triples have names no entity that a text speaks of
_LONGEST = 12  # words of a name that are looked for
_BESIDE = 3  # words on each side of a name
_TITLES = frozenset(["mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lady", "lord"])
_NAMED_BEFORE = re.compile(r"(\w[\w'’-]*|\b\w\.)[ \t]+$")
_NAMED_AFTER = re.compile(r"[ \t]+(\w)")


class TripleStore:
    """Holds triples in memory, each once, in the order in which they came. An entity is named by its id."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        """Reads the triples once. Relations for names and aliases become names of their subject."""
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

    def around(self, entity: str) -> list[Triple]:
        """Returns the triples of which the entity is the subject, in the order of the graph."""
        return self._by_subject.get(entity, [])

    def pointing_at(self, entity: str) -> list[Triple]:
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


class Mention(NamedTuple):
    """A name in a text, `start` to `end`, with the entities that it may mean.

    One entity: the name means it. Several: the text does not tell which of them.
    """

    name: str
    start: int
    end: int
    entities: tuple[str, ...]


def linked_names(store: TripleStore, text: str, around: str = "") -> list[Mention]:
    """Finds the names and aliases of the graph that stand in `text`, the longest first, without overlaps.

    In a text of small letters alone, names of two words and more count as well.

    Of several entities with the name, the one is taken of which most neighbours are named near it: beside it
    ("the botanist Jonah Strake"), else in its sentence, else in `text` and `around`. A tie leaves all of the
    best. A surname alone means the one person with it whom `text` or `around` name in full.
    """
    full = _full_names(store, text, around)
    elsewhere = _full_names(store, around, text) if around and around != text else []
    alone = _surnames(store, [(text, full), (around, elsewhere)])
    starts = {mention.start for mention in alone}
    return sorted([*alone, *(it for it in full if it.start not in starts)], key=lambda it: it.start)


def _full_names(store: TripleStore, text: str, around: str) -> list[Mention]:
    mentions, words = list[Mention](), words_of(text)
    for at, (_, start, _) in enumerate(words):
        if mentions and start < mentions[-1].end:
            continue
        for to in range(min(at + _LONGEST, len(words)), at, -1):
            entities = store.by_name.get(" ".join(word for word, _, _ in words[at:to]), ())
            place, is_long = Span(start, words[to - 1][2]), to - at > 1 and text.islower()
            if entities and (is_long or _may_be_name(store, entities, place.of(text))):
                chosen = _chosen(store, entities, text, place, around)
                mentions.append(Mention(place.of(text), *place, chosen))
                break
    return mentions


def _may_be_name(store: TripleStore, entities: Sequence[str], written: str) -> bool:
    """Is it no mere word: a number, stop words, or a word in small letters for a name in capitals?"""
    if len(written) < 2 or written.isdigit() or STOP_WORDS.issuperset(name_key(written).split()):
        return False
    is_name = all(store.names[entity][:1].isupper() for entity in entities)
    return not is_name or any(letter.isupper() for letter in written)


def _chosen(
    store: TripleStore, entities: Sequence[str], text: str, place: Span, around: str
) -> tuple[str, ...]:
    """Returns the entities of which most neighbours are named in the nearest text that tells them apart."""
    if len(entities) < 2:
        return tuple(entities)
    sentence = [place, *(span for span in sentences(text) if span.start <= place.start)][-1]
    before, after = text[sentence.start : place.start], text[place.end : max(sentence.end, place.end)]
    beside = " ".join([*before.split()[-_BESIDE:], "|", *after.split()[:_BESIDE]])
    for window in (beside, f"{before} | {after}", f"{text[: place.start]} | {text[place.end :]} | {around}"):
        counts = [len(_named_values(store, entity, window)) for entity in entities]
        entities = [it for it, count in zip(entities, counts, strict=True) if count == max(counts)]
    return tuple(entities)


def _named_values(store: TripleStore, entity: str, window: str) -> set[str]:
    """Returns the neighbours of the entity that the window names, by more than words of its own name."""
    keyed, own = f" {' '.join(stems(window))} ", set(name_key(store.names[entity]).split())
    values = {it.object for it in store.around(entity)} | {it.subject for it in store.pointing_at(entity)}
    forms = ((value, form) for value in values for form in value_forms(value))
    return {
        value
        for value, form in forms
        if f" {' '.join(stems(form))} " in keyed and not set(name_key(form).split()) <= own
    }


def _surnames(store: TripleStore, texts: Sequence[tuple[str, Sequence[Mention]]]) -> list[Mention]:
    """Returns the words of the first text that are the surname of the one person whom a text names in full.

    A surname that also stands in the name of somebody else, as in "Per Lunde", means nobody: the text does
    not tell who is meant. `texts` are texts with their full names.
    """
    named = defaultdict[str, set[str]](set)
    for mention in (each for _, mentions in texts for each in mentions):
        words, facts = name_key(mention.name).split(), store.around(mention.entities[0])
        if len(words) > 1 == len(mention.entities) and any(rank_of(it.relation) in PERSONAL for it in facts):
            named[words[-1]].update(mention.entities)
    foreign = {
        word
        for text, mentions in texts
        for word, start, end in words_of(text)
        if word in named and not any(it.start < start < it.end for it in mentions)
        if _is_part(text, start, end)
    }
    text, mentions = texts[0]
    taken = [it for it in mentions if any(map(store.around, it.entities))]
    return [
        Mention(text[start:end], start, end, tuple(named[word]))
        for word, start, end in words_of(text)
        if len(named.get(word, ())) == 1 and word not in foreign
        if text[start].isupper() and not any(it.start <= start < it.end for it in taken)
    ]


def _is_part(text: str, start: int, end: int) -> bool:
    """Does a word beside it make it a part of another name: of a prize, an institute, or a person?"""
    before, after = _NAMED_BEFORE.search(text, max(0, start - 40), start), _NAMED_AFTER.match(text, end)
    first = before[1] if before else ""
    is_named = first[:1].isupper() and first.lower() not in STOP_WORDS | _TITLES
    return is_named or (after is not None and after[1].isupper())
