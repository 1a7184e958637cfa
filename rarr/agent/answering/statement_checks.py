"""Checks every citation of a written statement, adds those that it lacks, and finds what has no support."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.answer_text import AnswerText, answer_text
from rarr.agent.answering.passage_support import (
    PassageSupport,
    support_by_cited,
    support_by_others,
)
from rarr.agent.answering.triple_support import (
    covers,
    says_triple,
    statement_fault,
    uncovered_values,
)
from rarr.backends.rules.announcements import announces
from rarr.components import Components
from rarr.records import Notice
from rarr.records.answers import CitedStatement, NamedTriple, StatementDraft
from rarr.retrievers.graph.triples import name_key, relation_words, value_forms
from rarr.tools.concurrency.worker_threads import work


async def checked_statements(
    question: str, written: Sequence[CitedStatement], found: QuestionSources, components: Components
) -> tuple[list[StatementDraft], list[Notice]]:
    """Returns the statements with the citations that hold, and tells which need support that is not there.

    A passage holds as in `rarr write`: the verifier gives enough support and finds no contradiction, and the
    passage confirms each part of the sentence that can be checked. A statement that nothing cited supports
    gets the passage that does. What could not be judged needs support, and gives a notice. Of a sentence that
    no passage supports, its own triples must say all that can be checked, a pronoun read as the name before.
    """
    texts = [" ".join(statement.text.split()) for statement in written]
    answer = await work(lambda: answer_text(question, texts, _names("\n".join([question, *texts]), found)))
    passages = [source.number for source in found.sources if source.triple is None]
    cited = {
        n: [number for number in dict.fromkeys(statement.citations) if number in passages]
        for n, statement in enumerate(written)
    }
    supports, failed = await support_by_cited(answer, cited, found, components)
    drafts = {n: await work(_draft, written[n], answer, n, found, supports[n]) for n in cited}
    lacking = [n for n, draft in drafts.items() if draft.needs_support]
    others = {n: [number for number in passages if number not in cited[n]] for n in lacking}
    rest = {n: supports[n].rest for n in lacking}
    more, failures = await support_by_others(answer, others, rest, found, components)
    for n, support in more.items():
        drafts[n] = await work(_draft, written[n], answer, n, found, supports[n].joined(support))
    return list(drafts.values()), [*failed, *failures]


def _names(text: str, found: QuestionSources) -> list[str]:
    return [mention.name for mention in found.graph.link(text)] if found.graph else []


def _draft(
    statement: CitedStatement,
    answer: AnswerText,
    number: int,
    found: QuestionSources,
    by_passages: PassageSupport,
) -> StatementDraft:
    told = [span.of(answer.text) for span in answer.sentences[number]]
    sources = {source.number: source for source in found.sources}
    held, refused = list[GivenSource](), list[str]()
    written = dict.fromkeys([*statement.citations, *_numbers(statement.named, found.sources)])
    for cited in written:
        why = _fault(told, sources.get(cited), found, by_passages)
        if why:
            refused.append(f"[{cited}]: {why}")
        else:
            held.append(sources[cited])
    unknown = _unknown(statement.named, found.sources)
    refused += unknown
    held += [sources[each] for each in by_passages.supporting if sources[each] not in held]
    triples, lacks = [source for source in held if source.triple is not None], False
    for span in by_passages.rest:
        own = _triples_of(span.of(answer.text), triples, found)
        triples += [source for source in own if source not in triples]
        lacks |= not announces(answer.said[span]) and _lacks_support(span.of(answer.text), own, found)
    held += [source for source in triples if source not in held]
    return StatementDraft(
        text=" ".join(statement.text.split()),
        citations=tuple(source.number for source in held),
        needs_support=lacks or (bool(by_passages.rest) and statement.needs_support and not triples),
        refused=tuple(refused),
        unjudged=bool(by_passages.unjudged),
        written=(*written, *(0 for _ in unknown)),
    )


def _triples_of(sentence: str, cited: Sequence[GivenSource], found: QuestionSources) -> list[GivenSource]:
    """Returns the triples that say the sentence: the cited ones, then others that have more of its values."""
    own = [source for source in cited if says_triple(sentence, source, found)]
    for source in found.sources:
        says = source not in own and says_triple(sentence, source, found)
        if says and (not own or covers(source, own, sentence, found)):
            own.append(source)
    return own


def _lacks_support(sentence: str, own: Sequence[GivenSource], found: QuestionSources) -> bool:
    """Does the sentence say something that none of its own triples says?"""
    return not own or bool(uncovered_values(sentence, own, found))


def _fault(
    told: Sequence[str], source: GivenSource | None, found: QuestionSources, by_passages: PassageSupport
) -> str:
    """Says why a source may not be cited for a statement of these sentences; "" if it may."""
    if source is None:
        return "there is no such source"
    if source.triple is not None:
        return statement_fault(told, source, found)
    if source.number in by_passages.supporting:
        return ""
    if source.number in by_passages.unjudged:
        return "it could not be judged whether the passage supports the statement"
    return "the passage does not support the statement"


def _numbers(named: Sequence[NamedTriple], sources: Sequence[GivenSource]) -> list[int]:
    """Returns the numbers of the sources that brackets in free text name."""
    return [source.number for citation in named for source in sources if _is_named(citation, source)]


def _unknown(named: Sequence[NamedTriple], sources: Sequence[GivenSource]) -> list[str]:
    return [
        f"{_written(each)}: "
        + ("there is no such triple" if each.value else "it names no triple: write [id, relation: value]")
        for each in named
        if not any(_is_named(each, source) for source in sources)
    ]


def _written(citation: NamedTriple) -> str:
    """Writes a citation with the parts that it has."""
    fact = f"{citation.relation}: {citation.value}" if citation.value else ""
    return f"[{', '.join(filter(None, (citation.entity, fact)))}]"


def _is_named(citation: NamedTriple, source: GivenSource) -> bool:
    """Does the citation name the triple: by the id of its subject, or by the last part of an address?"""
    triple = source.triple
    if triple is None or not citation.value:
        return False
    id_ = triple.subject_id.lower()
    return (
        citation.entity.lower() in ("", id_, re.split(r"[/#]", id_)[-1])
        and relation_words(citation.relation) == relation_words(triple.relation)
        and name_key(citation.value) in map(name_key, value_forms(triple.object))
    )
