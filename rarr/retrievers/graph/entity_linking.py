"""Finds the entities of a graph that a text names, and tells namesakes apart by the text around the name."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.relations import rank_of
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import name_key, value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span, sentences

_LONGEST = 12  # words of a name that are looked for
_BESIDE = 3  # words on each side of a name
_TITLES = frozenset(["mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir", "dame", "lady", "lord"])
_PERSONAL = range(rank_of("occupation"), rank_of("sibling") + 1)  # the relations that only persons have
_NAMED_BEFORE = re.compile(r"(\w[\w'’-]*|\b\w\.)[ \t]+$")
_NAMED_AFTER = re.compile(r"[ \t]+(\w)")


class Mention(NamedTuple):
    """A name in a text, `start` to `end`, with the entities that it may mean.

    One entity: the name means it. Several: the text does not tell which of them.
    """

    name: str
    start: int
    end: int
    entities: tuple[int, ...]


def linked_names(store: TripleStore, text: str, around: str = "") -> list[Mention]:
    """Finds the names and aliases of the graph that stand in `text`, the longest first, without overlaps.

    In a text of small letters alone, names of two words and more count as well.

    Of several entities with the name, the one is taken of which most neighbours are named near it: beside it
    ("the botanist Jonah Strake"), else in its sentence, else in the whole of `text` and `around`. A tie
    leaves all of the best. A surname alone means the one person with it whom `text` or `around` name
    in full.
    """
    full = _full_names(store, text, around)
    elsewhere = _full_names(store, around, text) if around and around != text else []
    alone = _surnames(store, [(text, full), (around, elsewhere)])
    starts = {mention.start for mention in alone}
    kept = [mention for mention in full if mention.start not in starts]
    return sorted([*alone, *kept], key=lambda mention: mention.start)


def _full_names(store: TripleStore, text: str, around: str) -> list[Mention]:
    mentions, words, at = list[Mention](), words_of(text), 0
    while at < len(words):
        taken = 1
        for length in range(min(store.longest_name, _LONGEST, len(words) - at), 0, -1):
            place = Span(words[at][1], words[at + length - 1][2])
            entities = store.named(" ".join(word for word, _, _ in words[at : at + length]))
            is_name = entities and _may_be_name(store, entities, place.of(text))
            if entities and (is_name or (length > 1 and text.islower())):
                chosen, taken = _chosen(store, entities, text, place, around), length
                mentions.append(Mention(place.of(text), *place, chosen))
                break
        at += taken
    return mentions


def _may_be_name(store: TripleStore, entities: Sequence[int], written: str) -> bool:
    """Is it no mere word: a number, stop words, or a word in small letters for a name in capitals?"""
    if len(written) < 2 or written.isdigit() or STOP_WORDS.issuperset(name_key(written).split()):
        return False
    is_name = all(store.name(entity)[:1].isupper() for entity in entities)
    return not is_name or any(letter.isupper() for letter in written)


def _chosen(
    store: TripleStore, entities: Sequence[int], text: str, place: Span, around: str
) -> tuple[int, ...]:
    """Returns the entities of which most neighbours are named in the nearest text that tells them apart."""
    left = tuple(entities)
    for window in _windows(text, place, around) if len(left) > 1 else ():
        scores = _scores(store, left, window)
        left = tuple(entity for entity, score in zip(left, scores, strict=True) if score == max(scores))
        if len(left) == 1:
            break
    return left


def _windows(text: str, place: Span, around: str) -> list[str]:
    """Returns the words beside the name, its sentence, and the whole, each without the name itself."""
    before = [span for span in sentences(text) if span.start <= place.start] or [place]
    sentence = Span(before[-1].start, max(before[-1].end, place.end))
    spans = (sentence, Span(0, len(text)))
    parts = [f"{text[span.start : place.start]} | {text[place.end : span.end]}" for span in spans]
    left = " ".join(text[sentence.start : place.start].split()[-_BESIDE:])
    right = " ".join(text[place.end : sentence.end].split()[:_BESIDE])
    return [f"{left} | {right}", *parts, f"{parts[-1]} | {around}"]


def _scores(store: TripleStore, entities: Sequence[int], window: str) -> list[int]:
    """Counts for each entity its own neighbours that the window names, those of all entities left out."""
    keyed = f" {' '.join(stems(window))} "
    named = []
    for entity in entities:
        own = set(name_key(store.name(entity)).split())  # words of the entity's own name tell nothing
        values = {triple.object for triple in store.around(entity)}
        values |= {triple.subject for triple in store.pointing_at(entity)}
        named.append({value for value in values if _is_named(value, keyed, own)})
    shared = set.intersection(*named)
    return [len(values - shared) for values in named]


def _is_named(value: str, keyed: str, own: set[str]) -> bool:
    return any(
        not set(name_key(form).split()) <= own and f" {' '.join(stems(form))} " in keyed
        for form in value_forms(value)
    )


def _surnames(store: TripleStore, texts: Sequence[tuple[str, Sequence[Mention]]]) -> list[Mention]:
    """Returns the words of the first text that are the surname of the one person whom a text names in full.

    A surname that also stands in the name of somebody else, as in "Per Lunde", means nobody: the text does
    not tell who is meant. `texts` are texts with their full names.
    """
    named = dict[str, set[int]]()
    for mention in (each for _, mentions in texts for each in mentions):
        words = name_key(mention.name).split()
        if len(words) > 1 and len(mention.entities) == 1 and _is_person(store, mention.entities[0]):
            named.setdefault(words[-1], set()).update(mention.entities)
    text, mentions = texts[0]
    taken = [each for each in mentions if any(map(store.around, each.entities))]
    return [
        Mention(text[start:end], start, end, tuple(named[word]))
        for word, start, end in words_of(text)
        if len(named.get(word, ())) == 1
        and text[start].isupper()
        and not any(each.start <= start < each.end for each in taken)
        and not any(_stands_in_another_name(*each, word) for each in texts)
    ]


def _is_person(store: TripleStore, entity: int) -> bool:
    return any(rank_of(triple.relation) in _PERSONAL for triple in store.around(entity))


def _stands_in_another_name(text: str, mentions: Sequence[Mention], surname: str) -> bool:
    """Is the surname part of another name: of a prize, an institute, or a person not in the graph?"""
    for word, start, end in words_of(text):
        if word != surname or any(each.start < start < each.end for each in mentions):
            continue
        before, after = _NAMED_BEFORE.search(text, max(0, start - 40), start), _NAMED_AFTER.match(text, end)
        first = before[1] if before else ""
        is_named_before = first[:1].isupper() and first.lower() not in STOP_WORDS | _TITLES
        if is_named_before or (after and after[1].isupper()):
            return True
    return False
