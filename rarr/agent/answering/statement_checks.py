"""Checks every citation of a written statement, adds those that it lacks, and finds what has no support."""

from collections.abc import Mapping, Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_drafts import Draft
from rarr.backends.prompted.cited_answers import WrittenStatement
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.components import Components
from rarr.records import Evidence
from rarr.retrievers.graph.stated_relations import may_state
from rarr.retrievers.graph.triples import name_key, relation_words, value_forms, words_of
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.citation_brackets import BracketCitation

_CHECKED = ("date", "number", "name")  # kinds of values that need a source
_COMPARED = ("date", "number")  # kinds that texts write in many ways


async def checked_statements(
    written: Sequence[WrittenStatement], found: QuestionSources, components: Components
) -> list[Draft]:
    """Returns the statements with the citations that hold, and tells which need support that is not there."""
    return list(await together(*(_checked(statement, found, components) for statement in written)))


async def _checked(statement: WrittenStatement, found: QuestionSources, components: Components) -> Draft:
    text = " ".join(statement.text.split())
    cited = [source for source in found.sources if source.number in statement.citations]
    passages = [source for source in cited if source.triple is None]
    supports = await together(*(_support(text, source, components) for source in passages))
    enough = components.settings.support_threshold
    supported = {
        source.number: None if support is None else support >= enough
        for source, support in zip(passages, supports, strict=True)
    }
    return await work(_draft, statement, text, found, supported)


async def _support(text: str, source: GivenSource, components: Components) -> float | None:
    evidence = Evidence(**source.passage.model_dump(), id=f"s{source.number}", query_id="", relevance=1.0)
    return (await components.verifier.support(text, None, [Span(0, len(text))], evidence))[0]


def _draft(
    statement: WrittenStatement, text: str, found: QuestionSources, supported: Mapping[int, bool | None]
) -> Draft:
    """Builds the draft. `supported` tells for each cited passage whether it does; None: it was not judged."""
    by_number = {source.number: source for source in found.sources}
    held, refused = list[GivenSource](), list[str]()
    for number in dict.fromkeys([*statement.citations, *_numbers(statement.named, found.sources)]):
        why = _fault(text, by_number.get(number), found, supported)
        if why:
            refused.append(f"[{number}]: {why}")
        else:
            held.append(by_number[number])
    refused += _unknown(statement.named, found.sources)
    for source in found.sources:
        says = source not in held and says_triple(text, source, found)
        if says and (not held or _covers(source, held, text, found)):
            held.append(source)
    asserts = statement.needs_support or _is_about_subject(text, found)
    lacks = bool(uncovered_values(text, held, found)) or (asserts and not held)
    return Draft(text, tuple(source.number for source in held), lacks, tuple(refused))


def _fault(
    text: str, source: GivenSource | None, found: QuestionSources, supported: Mapping[int, bool | None]
) -> str:
    """Says why a source may not be cited for the statement; "" if it may."""
    if source is None:
        return "there is no such source"
    if source.triple is None:
        supports = supported.get(source.number, False)
        if supports is None:
            return "it could not be judged whether the passage supports the statement"
        return "" if supports else "the passage does not support the statement"
    if not value_stands(source, text, found):
        return f"its value {source.triple.object!r} does not stand in the statement"
    if not _is_of_subject(text, source, found):
        return f"it is about {source.triple.subject}"
    states = may_state(text, source.triple.relation, source.triple.object)
    return "" if states else f"the statement is not about its {source.triple.relation!r}"


def says_triple(text: str, source: GivenSource, found: QuestionSources) -> bool:
    """May the triple be cited for the statement?"""
    return source.triple is not None and not _fault(text, source, found, {})


def value_stands(source: GivenSource, text: str, found: QuestionSources) -> bool:
    """Does the value of the triple stand in the statement, in any of its forms?

    Not as a part of its subject's name, and not as a part of a longer name: the Dutch Republic is not Dutch.
    """
    if source.triple is None:
        return False
    forms = value_forms(source.triple.object)
    own = checkable_values(text)
    closed = [Span(value.start, value.end) for value in own if value.kind == "name"]
    subject = phrase_spans(text, source.triple.subject)
    for span in (span for form in forms for span in phrase_spans(text, form)):
        within_name = any(
            name.start <= span.start and span.end <= name.end and name != span for name in closed
        )
        if not within_name and not any(span.overlaps(name) for name in subject):
            return True
    values = [value for value in checkable_values(forms[0]) if value.kind in _COMPARED]
    return bool(values) and all(any(same_value(value, other) for other in own) for value in values)


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
    """Returns the dates, numbers and names of the statement that no source and no name of its subject has.

    A cited passage covers the whole statement, as the verifier judged.
    """
    if any(source.triple is None for source in held):
        return []
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


def _covers(source: GivenSource, held: Sequence[GivenSource], text: str, found: QuestionSources) -> bool:
    """Does the source have a value of the statement that those before do not have?"""
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


def _is_about_subject(text: str, found: QuestionSources) -> bool:
    mentions = found.graph.link(text) if found.graph else []
    return any(_is_subject(mention.entities, found) for mention in mentions)


def _is_subject(entities: Sequence[int], found: QuestionSources) -> bool:
    return found.graph is not None and any(found.graph.store.id(each) in found.subjects for each in entities)


def _numbers(named: Sequence[BracketCitation], sources: Sequence[GivenSource]) -> list[int]:
    """Returns the numbers of the sources that brackets in free text name."""
    return [source.number for citation in named for source in sources if _is_named(citation, source)]


def _unknown(named: Sequence[BracketCitation], sources: Sequence[GivenSource]) -> list[str]:
    return [
        f"[{each.entity}, {each.relation}: {each.value}]: there is no such triple"
        for each in named
        if not any(_is_named(each, source) for source in sources)
    ]


def _is_named(citation: BracketCitation, source: GivenSource) -> bool:
    triple = source.triple
    if triple is None or not citation.value:
        return False
    is_entity = not citation.entity or citation.entity.lower() == triple.subject_id.lower().rpartition("/")[2]
    return (
        is_entity
        and relation_words(citation.relation) == relation_words(triple.relation)
        and name_key(citation.value) in map(name_key, value_forms(triple.object))
    )
