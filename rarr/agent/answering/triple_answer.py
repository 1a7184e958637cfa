"""Answers from triples without a language model: each statement is the sentence of the triples it cites."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_gaps import gap_sentences, name_of, pointing, unclear, untold
from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.chained_relations import Chain, chain_of, chained
from rarr.agent.answering.question_parts import QuestionPart, question_parts
from rarr.agent.answering.relevant_triples import is_other_noun, relevant_triples
from rarr.agent.answering.undated_values import undated
from rarr.agent.answering.verbs_of_relations import asks_by_words, asks_of_event, by_words, nameless
from rarr.backends.rules.asked_relations import answers, clauses, is_core, is_telling
from rarr.components import Reranker
from rarr.records.answers import PartAnswer
from rarr.retrievers.graph.relations import ended
from rarr.tools.concurrency.worker_threads import work

_ASKS = re.compile(r"(?:who|whom|whose|what|when|where|which|why|how)\s+\w+\s+\w", re.IGNORECASE)
_SHORT = 5
"""Words of a part beside others that the encoder still reads: of a long part it knows the topic alone."""


async def triple_answers(question: str, found: QuestionSources, reranker: Reranker) -> list[PartAnswer]:
    """Answers each part of the question; what it asks for and no triple says becomes a gap."""
    if not found.subjects:
        text = unclear(found.unclear) if found.unclear else "The graph has nothing that the question names."
        return [PartAnswer(text=part, gaps=(text,)) for part in clauses(question)]
    parts = await work(question_parts, question, found)
    is_asked = any(part.asked for part in parts)
    told = [await _of_part(part, found, reranker, core=is_asked, alone=len(parts) == 1) for part in parts]
    if not any(part.triples or part.gaps for part in told):
        gap = _nothing(found.subjects, found)
        return [
            part.model_copy(update={"gaps": (_unread(part.text) if found.cut else gap,)}) for part in told
        ]
    return [
        part if part.triples or part.gaps else part.model_copy(update={"gaps": _gap_of(part, found)})
        for part in told
    ]


async def _of_part(
    part: QuestionPart, found: QuestionSources, reranker: Reranker, *, core: bool, alone: bool
) -> PartAnswer:
    """Answers a part by the relations that it names, else by its verb, else by the encoder."""
    triples = [source for source in found.sources if source.triple is not None]
    if chain := await work(chain_of, part, found):
        return await _of_chain(chain, part, found, reranker)
    chosen = [source for source in triples if _is_wanted(source, part, core=core)]
    chosen += pointing(part.subjects, part.asked, triples, found, part.text)
    gaps = await work(gap_sentences, [part], triples, found)
    for words in part.open:
        relevant, gap = await _of_open(words, part.subjects, found, reranker)
        chosen, gaps = [*chosen, *relevant], [*gaps, *gap]
    if not (chosen or gaps or part.asked) and asks_by_words(part, alone=alone):
        chosen = await work(by_words, part, found)
        if not chosen and (alone or len(part.text.split()) <= _SHORT):
            chosen = await _relevant(part, found, reranker)
        words = "" if alone else nameless(part)
        gaps = [] if chosen or not part.subjects else [_nothing(part.subjects, found, words)]
    return _answer(part, chosen, [*gaps, *undated(part, chosen, found)], part.subjects, found)


async def _of_chain(
    chain: Chain, part: QuestionPart, found: QuestionSources, reranker: Reranker
) -> PartAnswer:
    """Answers "the height of the successor of NAME": the successor first, and then its height."""
    chosen, gaps = await work(chained, chain, found)
    for words in chain.open:
        relevant, gap = await _of_open(words, chain.entities, found, reranker)
        chosen, gaps = [*chosen, *relevant], [*gaps, *gap]
    return _answer(part, chosen, gaps, (*part.subjects, *chain.entities), found)


def _is_wanted(source: GivenSource, part: QuestionPart, *, core: bool) -> bool:
    """Does the triple answer the part, or belong to an overview? `core`: one of the main facts alone."""
    triple = source.triple
    if triple is None or triple.subject_id not in part.subjects:
        return False
    if any(answers(triple.relation, each) for each in part.asked):
        return True
    return part.is_general and (is_core(triple.relation) if core else is_telling(triple.relation))


async def _of_open(
    words: str, subjects: Sequence[str], found: QuestionSources, reranker: Reranker
) -> tuple[list[GivenSource], list[str]]:
    """Returns the triples that the encoder finds relevant to words that name no relation, else the gap."""
    own = [each for each in _own(subjects, found) if each.triple and not is_other_noun(words, each.triple)]
    relevant = await relevant_triples(f"What is the {words}?", own, reranker)
    return relevant, [] if relevant else [untold(words, [name_of(id_, found) for id_ in subjects])]


async def _relevant(part: QuestionPart, found: QuestionSources, reranker: Reranker) -> list[GivenSource]:
    """Asks the encoder, but not for who, when and where: it knows the kind of a value better than a verb."""
    if asks_of_event(part):
        return []
    return await relevant_triples(nameless(part), _own(part.subjects, found), reranker)


def _own(subjects: Sequence[str], found: QuestionSources) -> list[GivenSource]:
    return [each for each in found.sources if each.triple is not None and each.triple.subject_id in subjects]


def _nothing(subjects: Sequence[str], found: QuestionSources, words: str = "") -> str:
    """Writes the gap of a question that names no relation; `words` tell which part of it."""
    names = " and ".join(name_of(id_, found) for id_ in subjects)
    return ended(f"The graph does not tell this of {names}{f': {words}' if words else ''}.")


def _gap_of(part: PartAnswer, found: QuestionSources) -> tuple[str, ...]:
    """Returns the gap of a part without any other; a part that asks nothing, such as a name, has none."""
    if not _ASKS.match(part.text):
        return ()
    return (_unread(part.text) if found.cut else f"The graph does not answer: {part.text}",)


def _unread(part: str) -> str:
    """Writes that the graph may answer a part by triples that were not read."""
    return f"What was read of the graph does not answer: {part}"


def _answer(
    part: QuestionPart,
    chosen: Sequence[GivenSource],
    gaps: Sequence[str],
    about: Sequence[str],
    found: QuestionSources,
) -> PartAnswer:
    """Makes the answer of a part. What the graph lacks of an entity that was cut, nobody knows."""
    numbers = dict.fromkeys(source.number for source in chosen)
    if gaps and not set(found.cut).isdisjoint(about):
        gaps = [] if chosen else [_unread(part.written)]
    return PartAnswer(text=part.written, triples=tuple(numbers), gaps=tuple(dict.fromkeys(gaps)))
