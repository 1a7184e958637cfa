"""Answers without a language model: by the sentences of triples that answer a question, or of passages."""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.statement_drafts import distinct_drafts, gap_draft
from rarr.agent.wiring.resources import Resources
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.asked_relations import clauses
from rarr.backends.rules.values import checkable_values
from rarr.records import Passage
from rarr.records.answers import PartAnswer, StatementDraft
from rarr.retrievers.corpus.index_words import stems, telling
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread, work
from rarr.tools.text.blocks_and_sentences import sentences

_SHARED = 0.5  # the share of the question's words that a sentence and its title must have


async def extractive_answer(
    question: str, found: QuestionSources, parts: Sequence[PartAnswer], settings: Settings
) -> list[StatementDraft]:
    """Returns the statements of an answer, each by construction what its source says.

    `parts` is what the graph says. Where a part of the question asks for something that no source has, one
    statement says so, and needs support.
    """
    passages = [source for source in found.sources if source.triple is None]
    quotes = await _quotes(question, passages, settings) if passages else {}
    sentences = {source.number: source.passage.text for source in found.sources}
    told = [
        StatementDraft(text=sentences[number], citations=(number,))
        for part in parts
        for number in part.triples
    ]
    answered = {part.text for part in parts if part.triples}
    gaps = [
        gap
        for part in parts
        for gap in part.gaps
        if not quotes.get(part.text) and (part.text in answered or part.text not in quotes)
    ]
    gaps += [
        f"The sources do not answer: {text}"
        for text, quote in quotes.items()
        if quote is None and text not in answered
    ]
    drafts = distinct_drafts([*told, *filter(None, quotes.values())])
    drafts += map(gap_draft, dict.fromkeys(gaps))
    return drafts or [gap_draft("The sources do not answer this question.")]


async def _quotes(
    question: str, sources: Sequence[GivenSource], settings: Settings
) -> dict[str, StatementDraft | None]:
    """Takes for each part of the question the sentence that the encoder finds most relevant; None for none.

    The sentence or the title of its document must have a name that the part asks about, or else the part
    before it, and enough of the part's words.
    """
    pieces = await work(_sentences, sources)
    reranker = TrainedReranker(await in_thread(lambda: Resources(settings).encoder))
    quotes, names = dict[str, StatementDraft | None](), list[str]()
    for part in await work(clauses, question):
        names = await work(_names, part) or names
        scores = await reranker.score(part, [passage for passage, _ in pieces])
        _, (passage, number) = max(zip(scores, pieces, strict=True), key=lambda scored: scored[0])
        is_about = await work(_is_about, part, names, passage)
        quotes[part] = StatementDraft(text=passage.text, citations=(number,)) if is_about else None
    return quotes


def _sentences(sources: Sequence[GivenSource]) -> list[tuple[Passage, int]]:
    """Returns each sentence of the passages once, with the number of its source."""
    found = dict[str, tuple[Passage, int]]()
    for source in sources:
        for span in sentences(source.passage.text):
            text = " ".join(span.of(source.passage.text).split())
            found.setdefault(text, (source.passage.model_copy(update={"text": text}), source.number))
    return list(found.values())


def _names(part: str) -> list[str]:
    return [part[value.start : value.end] for value in checkable_values(part) if value.kind == "name"]


def _is_about(part: str, names: Sequence[str], passage: Passage) -> bool:
    """Has the sentence or the title of its document one of the names, and enough of the words of the part?"""
    told = set(stems(f"{passage.title} {passage.text}"))
    wanted = {stem for word in telling(part) for stem in stems(word)}
    is_named = any(told.issuperset(stems(name)) for name in names) or not names
    return is_named and len(wanted & told) >= _SHARED * len(wanted or {""})
