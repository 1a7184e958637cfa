"""Decides whether the triples of a graph say a sentence: its value, its subject and its relation.

The sentences are those of `AnswerText`: a name stands in the place of a pronoun at their start.
"""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.phrase_places import agrees, phrase_places, phrase_spans, value_places
from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.dates import Date, is_as_exact
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.name_matching import is_honorific
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import Value, checkable_values
from rarr.backends.rules.words import STOP_WORDS
from rarr.retrievers.graph.kinship_direction import is_reversed_kinship
from rarr.retrievers.graph.stated_relations import may_state
from rarr.retrievers.graph.triples import value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span

_CHECKED = ("date", "number", "name")  # kinds of values that need a source


def statement_fault(told: Sequence[str], source: GivenSource, found: QuestionSources) -> str:
    """Says why a triple may be cited for none of the sentences of a statement; "" if it may for one."""
    faults = [triple_fault(sentence, source, found) for sentence in told]
    of_value = [
        fault
        for sentence, fault in zip(told, faults, strict=True)
        if source.triple and value_places(source.triple, sentence)
    ]
    return "" if "" in faults else (of_value or faults)[0]


def triple_fault(sentence: str, source: GivenSource, found: QuestionSources) -> str:
    """Says why a triple may not be cited for the sentence; "" if it may."""
    if source.triple is None:
        return "it is no triple"
    places = value_places(source.triple, sentence)
    if not places:
        return f"its value {source.triple.object!r} does not stand in the statement"
    if not _is_of_subject(sentence, source, found):
        return f"it is about {source.triple.subject}"
    if not may_state(sentence, source.triple.relation, source.triple.object):
        return f"the statement is not about its {source.triple.relation!r}"
    if all(_is_denied(sentence, place.start) for place in places):
        return f"the statement denies its value {source.triple.object!r}"
    if is_reversed_kinship(sentence, source.triple) or has_swapped_roles(
        parsed_sentence(sentence), parsed_sentence(source.passage.text)
    ):
        return "it says so with the roles exchanged"
    return ""


def says_triple(sentence: str, source: GivenSource, found: QuestionSources) -> bool:
    """May the triple be cited for the sentence?"""
    return not triple_fault(sentence, source, found)


def uncovered_values(sentence: str, held: Sequence[GivenSource], found: QuestionSources) -> list[Value]:
    """Returns the dates, numbers and names of the sentence that neither `held` nor names of subjects have.

    A date that is more exact than that of the triple, such as a day beside a year, is not covered.
    """
    mentions = found.graph.link(sentence) if found.graph else []
    covered = [Span(each.start, each.end) for each in mentions if _is_subject(each.entities, found)]
    triples = [source.triple for source in held if source.triple is not None]
    for triple in triples:
        covered += [*phrase_spans(sentence, triple.subject), *phrase_places(triple, sentence)]
    said = [value for triple in triples for value in checkable_values(value_forms(triple.object)[0])]
    return [
        value
        for value in checkable_values(sentence)
        if value.kind in _CHECKED
        and not _is_within(value, sentence, covered)
        and not any(agrees(value, other) and _is_as_exact(other, value) for other in said)
    ]


def covers(source: GivenSource, held: Sequence[GivenSource], sentence: str, found: QuestionSources) -> bool:
    """Does the triple have a value of the sentence that those before do not have?"""
    left = uncovered_values(sentence, held, found)
    return len(uncovered_values(sentence, [*held, source], found)) < len(left)


def _is_denied(sentence: str, at: int) -> bool:
    """Does the sentence deny or doubt what stands at this place?"""
    return is_negated(parsed_sentence(sentence), at) or not is_asserted(sentence, at)


def _is_within(value: Value, sentence: str, covered: Sequence[Span]) -> bool:
    """Do the covered places have the whole value? Of a name they need not have a title, such as Dr."""
    if value.kind != "name":
        return any(span.start <= value.start and value.end <= span.end for span in covered)
    left = [
        word
        for word, start, end in words_of(sentence[value.start : value.end])
        if not any(span.start <= value.start + start and value.start + end <= span.end for span in covered)
    ]
    is_named = len(left) < len(words_of(sentence[value.start : value.end]))
    return is_named and all(is_honorific(word) or word in STOP_WORDS for word in left)


def _is_as_exact(told: Value, said: Value) -> bool:
    """Is a date of a triple as exact as that of the sentence? Numbers are compared by `agrees` alone."""
    if isinstance(told.read, Date) and isinstance(said.read, Date):
        return is_as_exact(told.read, said.read)
    return True


def _is_of_subject(sentence: str, source: GivenSource, found: QuestionSources) -> bool:
    """Does the sentence name the subject of the triple?

    A sentence that names no subject of the question may be about its subject, if there is only one.
    """
    if source.triple is None or found.graph is None:
        return True
    named = {
        found.graph.store.id(entity)
        for mention in found.graph.link(sentence)
        for entity in mention.entities
        if _is_subject([entity], found) or found.graph.store.id(entity) == source.triple.subject_id
    }
    if not named:
        return set(found.subjects) <= {source.triple.subject_id}
    return source.triple.subject_id in named


def _is_subject(entities: Sequence[int], found: QuestionSources) -> bool:
    return found.graph is not None and any(found.graph.store.id(each) in found.subjects for each in entities)
