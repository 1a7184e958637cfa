"""Answers without a language model: by the sentences of triples that answer a question, or of passages."""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_drafts import Draft, gap_draft
from rarr.agent.answering.triple_answer import triple_answer
from rarr.agent.wiring.resources import Resources
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.asked_relations import clauses
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import stems, telling
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.text.blocks_and_sentences import sentences

_SHARED = 0.5  # the share of the question's words that a sentence and its title must have


async def extractive_answer(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    """Returns the statements of an answer, each by construction what its source says.

    Where the question asks for something that no source has, a statement says so, and needs support.
    """
    passages = [source for source in found.sources if source.triple is None]
    drafts = [] if found.graph is None else await triple_answer(question, found, settings)
    from_passages = await _of_passages(question, passages, settings) if passages else []
    if from_passages:
        drafts = [draft for draft in drafts if draft.citations]
    drafts += from_passages
    return drafts or [gap_draft("The sources do not answer this question.")]


async def _of_passages(question: str, sources: Sequence[GivenSource], settings: Settings) -> list[Draft]:
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
                drafts[text] = gap_draft(text)
    return list(drafts.values())


def _sentences(sources: Sequence[GivenSource]) -> list[tuple[Passage, int]]:
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
