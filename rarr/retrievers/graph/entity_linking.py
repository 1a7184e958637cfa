"""Finds the entities of a graph that a text names, and tells namesakes apart by the text around the name."""

from collections.abc import Sequence

from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.mentions import Mention
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.surnames import surnames
from rarr.retrievers.graph.triples import name_key, value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span, sentences

_LONGEST = 12  # words of a name that are looked for
_BESIDE = 3  # words on each side of a name
_REACH = 400  # characters on each side of a name, after its sentence and before the whole text


def linked_names(store: TripleStore, text: str, around: str = "") -> list[Mention]:
    """Finds the names and aliases of the graph that stand in `text`, the longest first, without overlaps.

    In a text of small letters alone, names of two words and more count as well.

    Of several entities with the name, the one is taken of which most neighbours are named near it: beside it
    ("the botanist Jonah Strake"), else in its sentence, else near it, else in the whole of `text` and
    `around`. A tie leaves all of the best. A surname alone means the one person with it whom `text` before it
    or `around` name in full.
    """
    mentions = _full_names(store, text, around)
    whole = _full_names(store, around, text) if around and around != text else []
    alone = surnames(store, text, mentions, around, whole)
    starts = {mention.start for mention in alone}
    return sorted(
        [*alone, *(each for each in mentions if each.start not in starts)], key=lambda each: each.start
    )


def _full_names(store: TripleStore, text: str, around: str) -> list[Mention]:
    mentions = list[Mention]()
    words = words_of(text)
    at = 0
    while at < len(words):
        found = _longest_name(store, text, words, at)
        if found is None:
            at += 1
            continue
        length, entities = found
        start, end = words[at][1], words[at + length - 1][2]
        chosen = _chosen(store, entities, text, Span(start, end), around)
        mentions.append(Mention(text[start:end], start, end, chosen))
        at += length
    return mentions


def _longest_name(
    store: TripleStore, text: str, words: Sequence[tuple[str, int, int]], at: int
) -> tuple[int, Sequence[int]] | None:
    for length in range(min(store.longest_name, _LONGEST, len(words) - at), 0, -1):
        key = " ".join(word for word, _, _ in words[at : at + length])
        entities = store.named(key)
        written = text[words[at][1] : words[at + length - 1][2]]
        if entities and (_may_be_name(store, entities, written) or (length > 1 and text.islower())):
            return length, entities
    return None


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
    """Returns the words beside the name, its sentence, that with the sentence before, and so on to the whole.

    The name itself is left out.
    """
    before = [span for span in sentences(text) if span.start <= place.start] or [place]
    sentence = Span(before[-1].start, max(before[-1].end, place.end))
    with_previous = Span(before[-2:][0].start, sentence.end)
    near = Span(max(0, place.start - _REACH), min(len(text), place.end + _REACH))
    spans = (sentence, with_previous, near, Span(0, len(text)))
    parts = [f"{text[span.start : place.start]} | {text[place.end : span.end]}" for span in spans]
    left = " ".join(text[sentence.start : place.start].split()[-_BESIDE:])
    right = " ".join(text[place.end : sentence.end].split()[:_BESIDE])
    return [f"{left} | {right}", *parts, f"{parts[-1]} | {around}"]


def _scores(store: TripleStore, entities: Sequence[int], window: str) -> list[int]:
    """Counts for each entity its own neighbours that the window names, those of all entities left out."""
    keyed = f" {' '.join(stems(window))} "
    named = []
    for entity in entities:
        own = name_key(store.name(entity)).split()
        values = {triple.object for triple in store.around(entity)}
        values |= {triple.subject for triple in store.pointing_at(entity)}
        named.append({value for value in values if _is_named(value, keyed, own)})
    shared = set.intersection(*named)
    return [len(values - shared) for values in named]


def _is_named(value: str, keyed: str, own: Sequence[str]) -> bool:
    """Does the text with these stems name the value? Words of the entity's own name tell nothing."""
    for form in value_forms(value):
        own_words = set(name_key(form).split()) <= set(own)
        if not own_words and f" {' '.join(stems(form))} " in keyed:
            return True
    return False
