"""Decides whether the triples of a graph say a statement: its value, its subject and its relation."""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.retrievers.graph.kinship_direction import is_reversed_kinship
from rarr.retrievers.graph.stated_relations import may_state
from rarr.retrievers.graph.triples import Triple, name_key, value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span, sentences

_CHECKED = ("date", "number", "name")  # kinds of values that need a source
_COMPARED = ("date", "number")  # kinds that texts write in many ways


def triple_fault(text: str, source: GivenSource, found: QuestionSources) -> str:
    """Says why a triple may not be cited for the statement; "" if it may."""
    if source.triple is None:
        return "it is no triple"
    places = _value_places(source.triple, text)
    if not places:
        return f"its value {source.triple.object!r} does not stand in the statement"
    if not _is_of_subject(text, source, found):
        return f"it is about {source.triple.subject}"
    if not may_state(text, source.triple.relation, source.triple.object):
        return f"the statement is not about its {source.triple.relation!r}"
    said = [span for span in sentences(text) or [Span(0, len(text))] if any(map(span.overlaps, places))]
    parsed = [parsed_sentence(span.of(text)) for span in said]
    if all(map(_is_denied, parsed, [_within(span, places) for span in said])):
        return f"the statement denies its value {source.triple.object!r}"
    if is_reversed_kinship(text, source.triple) or any(
        has_swapped_roles(each, parsed_sentence(source.passage.text)) for each in parsed
    ):
        return "it says so with the roles exchanged"
    return ""


def says_triple(text: str, source: GivenSource, found: QuestionSources) -> bool:
    """May the triple be cited for the statement?"""
    return not triple_fault(text, source, found)


def _value_places(triple: Triple, text: str) -> list[Span]:
    """Returns the places of the value of the triple in the statement, in any of its forms.

    Not as a part of its subject's name, and not as a part of a longer name: the Dutch Republic is not Dutch.
    """
    forms, own = value_forms(triple.object), checkable_values(text)
    closed = [Span(value.start, value.end) for value in own if value.kind == "name"]
    subject = phrase_spans(text, triple.subject)
    places = [
        span
        for form in forms
        for span in phrase_spans(text, form)
        if not any(name.start <= span.start and span.end <= name.end and name != span for name in closed)
        and not any(span.overlaps(name) for name in subject)
    ]
    values = [value for value in checkable_values(forms[0]) if value.kind in _COMPARED]
    same = [[other for other in own if same_value(value, other)] for value in values]
    if not places and all(same):
        places = [Span(other.start, other.end) for others in same for other in others]
    return places


def _within(span: Span, places: Sequence[Span]) -> list[int]:
    """Returns where the places in `span` begin in its text."""
    return [place.start - span.start for place in places if span.overlaps(place)]


def _is_denied(sentence: ParsedSentence, starts: Sequence[int]) -> bool:
    """Does the sentence deny or doubt what stands at each of these places?"""
    return all(is_negated(sentence, at) or not is_asserted(sentence.text, at) for at in starts)


def phrase_spans(text: str, phrase: str) -> list[Span]:
    """Returns the places in `text` of the words of `phrase`; marks and capitals do not count."""
    wanted, words = name_key(phrase).split(), words_of(text)
    size = len(wanted)
    return [
        Span(words[at][1], words[at + size - 1][2])
        for at in range(len(words) - size + 1 if size else 0)
        if [word for word, _, _ in words[at : at + size]] == wanted
    ]


def uncovered_values(text: str, held: Sequence[GivenSource], found: QuestionSources) -> list[Value]:
    """Returns the dates, numbers and names of `text` that neither `held` nor a name of a subject has."""
    mentions = found.graph.link(text) if found.graph else []
    covered = [Span(each.start, each.end) for each in mentions if _is_subject(each.entities, found)]
    triples = [source.triple for source in held if source.triple is not None]
    for triple in triples:
        phrases = (triple.subject, *value_forms(triple.object))
        covered += [span for phrase in phrases for span in phrase_spans(text, phrase)]
    said = [value for triple in triples for value in checkable_values(value_forms(triple.object)[0])]
    return [
        value
        for value in checkable_values(text)
        if value.kind in _CHECKED
        and not any(span.start < value.end and value.start < span.end for span in covered)
        and not any(value.kind in _COMPARED and same_value(value, other) for other in said)
    ]


def covers(source: GivenSource, held: Sequence[GivenSource], text: str, found: QuestionSources) -> bool:
    """Does the triple have a value of `text` that those before do not have?"""
    return len(uncovered_values(text, [*held, source], found)) < len(uncovered_values(text, held, found))


def _is_of_subject(text: str, source: GivenSource, found: QuestionSources) -> bool:
    """Does the statement name the subject of the triple, or no subject of the question at all?"""
    if source.triple is None or found.graph is None:
        return True
    named = {
        found.graph.store.id(entity)
        for mention in found.graph.link(text)
        for entity in mention.entities
        if _is_subject([entity], found) or found.graph.store.id(entity) == source.triple.subject_id
    }
    return source.triple.subject_id in named or not named


def _is_subject(entities: Sequence[int], found: QuestionSources) -> bool:
    return found.graph is not None and any(found.graph.store.id(each) in found.subjects for each in entities)
