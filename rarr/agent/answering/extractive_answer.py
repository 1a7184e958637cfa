"""Answers without a language model: by the sentences of triples that answer a question, or of passages."""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import QuestionSources, Source
from rarr.agent.answering.statement_drafts import Draft
from rarr.agent.wiring.resources import Resources
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.asked_relations import (
    AskedRelation,
    answers,
    asked_relations,
    clauses,
    is_core,
    is_general,
    is_telling,
)
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import stems, telling
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.text.blocks_and_sentences import sentences

_SHARED = 0.5  # the share of the question's words that a sentence and its title must have
_RELEVANT = 0.6
"""The relevance from which a triple answers a question that names no relation, as the encoder scores it."""


async def extractive_answer(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    """Returns the statements of an answer, each by construction what its source says.

    Where the question asks for something that no source has, a statement says so, and needs support.
    """
    passages = [source for source in found.sources if source.triple is None]
    drafts = [] if found.graph is None else await _of_triples(question, found, settings)
    from_passages = await _of_passages(question, passages, settings) if passages else []
    if from_passages:
        drafts = [draft for draft in drafts if draft.citations]
    drafts += from_passages
    return drafts or [Draft("The sources do not answer this question.", needs_support=True)]


async def _of_triples(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    triples = [source for source in found.sources if source.triple is not None]
    if not found.subjects:
        named = f" which {' and '.join(found.unclear)} is meant" if found.unclear else ""
        text = (
            "The question does not tell" + named if named else "The graph has nothing that the question names"
        )
        return [Draft(f"{text}.", needs_support=True)]
    asked = await work(
        asked_relations, question, {source.triple.relation for source in triples if source.triple}
    )
    own = [source for source in triples if source.triple and source.triple.subject_id in found.subjects]
    chosen = [source for source in own if _is_wanted(source, question, asked)]
    chosen += [
        source
        for source in triples
        for each in asked
        if source not in own and _answers(source, each) and not any(_answers(other, each) for other in own)
    ]
    if not chosen and not asked:
        chosen = await _most_relevant(question, triples, settings)
    missing = [each for each in asked if not any(_answers(source, each) for source in triples)]
    by_sentence: dict[str, list[int]] = {}
    for source in chosen:
        by_sentence.setdefault(source.passage.text, []).append(source.number)
    drafts = [Draft(text, tuple(dict.fromkeys(numbers))) for text, numbers in by_sentence.items()]
    names = " and ".join(_names(found))
    drafts += [
        Draft(f"The graph does not tell the {each.words} of {names}.", needs_support=True) for each in missing
    ]
    return drafts or [Draft(f"The graph does not tell this of {names}.", needs_support=True)]


def _is_wanted(source: Source, question: str, asked: Sequence[AskedRelation]) -> bool:
    if any(_answers(source, each) for each in asked):
        return True
    if source.triple is None or not is_general(question):
        return False
    return is_core(source.triple.relation) if asked else is_telling(source.triple.relation)


def _answers(source: Source, asked: AskedRelation) -> bool:
    return source.triple is not None and answers(source.triple.relation, asked)


async def _most_relevant(question: str, triples: Sequence[Source], settings: Settings) -> list[Source]:
    """Returns the triples that the encoder finds relevant to a question whose words name no relation."""
    reranker = TrainedReranker(await in_thread(lambda: Resources(settings).encoder))
    scores = await reranker.score(question, [source.passage for source in triples])
    best = max(scores, default=0.0)
    return [
        source for source, score in zip(triples, scores, strict=True) if score >= _RELEVANT and score == best
    ]


def _names(found: QuestionSources) -> list[str]:
    """Names the entities of the question that have triples of their own."""
    names = dict.fromkeys(
        source.triple.subject
        for source in found.sources
        if source.triple is not None and source.triple.subject_id in found.subjects
    )
    if names or found.graph is None:
        return list(names)
    numbers = (found.graph.store.number(id_) for id_ in found.subjects)
    return [found.graph.store.name(number) for number in numbers if number is not None]


async def _of_passages(question: str, sources: Sequence[Source], settings: Settings) -> list[Draft]:
    """Takes for each part of the question the sentence that the encoder finds most relevant.

    The sentence and the title of its document must have enough of the part's words.
    """
    pieces = await work(_sentences, sources)
    reranker = TrainedReranker(await in_thread(lambda: Resources(settings).encoder))
    drafts = dict[str, Draft]()
    for part in await work(clauses, question):
        scores = await reranker.score(part, [passage for passage, _ in pieces])
        ranked = sorted(zip(scores, pieces, strict=True), key=lambda scored: -scored[0])
        for _, (passage, number) in ranked[:1]:
            if await work(_shared, part, passage) >= _SHARED:
                drafts.setdefault(passage.text, Draft(passage.text, (number,)))
            else:
                text = f"The sources do not answer: {part}"
                drafts[text] = Draft(text, needs_support=True)
    return list(drafts.values())


def _sentences(sources: Sequence[Source]) -> list[tuple[Passage, int]]:
    """Returns each sentence of the passages once, with the number of its source."""
    found = dict[str, tuple[Passage, int]]()
    for source in sources:
        for span in sentences(source.passage.text):
            text = " ".join(span.of(source.passage.text).split())
            found.setdefault(text, (source.passage.model_copy(update={"text": text}), source.number))
    return list(found.values())


def _shared(question: str, passage: Passage) -> float:
    """Returns the share of the question's words that the sentence or the title of its document has."""
    wanted = {stem for word in telling(question) for stem in stems(word)}
    return len(wanted & set(stems(f"{passage.title} {passage.text}"))) / len(wanted or {""})
