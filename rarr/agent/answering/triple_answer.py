"""Answers from triples without a language model: each statement is the sentence of the triples it cites."""

from collections.abc import Sequence

from rarr.agent.answering.answer_gaps import gap_sentences, name_of, pointing, unclear, untold
from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart, question_parts
from rarr.agent.answering.relevant_triples import relevant_triples, without_names
from rarr.agent.answering.statement_drafts import Draft, gap_draft
from rarr.backends.rules.asked_relations import answers, is_core, is_telling
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import work


async def triple_answer(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    """Returns the statements for a question; what it asks for and no triple says becomes a gap."""
    if not found.subjects:
        text = unclear(found.unclear) if found.unclear else "The graph has nothing that the question names."
        return [gap_draft(text)]
    triples = [source for source in found.sources if source.triple is not None]
    parts = await work(question_parts, question, found)
    is_asked = any(part.asked for part in parts)
    chosen = [source for source in triples for part in parts if _is_wanted(source, part, core=is_asked)]
    chosen += [source for part in parts for source in pointing(part.subjects, part.asked, triples, found)]
    gaps = await work(gap_sentences, parts, triples, found)
    for part in parts:
        for words in part.open:
            relevant, gap = await _of_open(words, part, triples, found, settings)
            chosen += relevant
            gaps += gap
    if not (chosen or gaps or is_asked):
        mentions = await work(found.graph.link, question) if found.graph else []
        chosen = await relevant_triples(without_names(question, mentions), triples, settings)
    drafts = [*_sentences(chosen), *(gap_draft(text) for text in dict.fromkeys(gaps))]
    names = " and ".join(name_of(id_, found) for id_ in found.subjects)
    return drafts or [gap_draft(f"The graph does not tell this of {names}.")]


def _is_wanted(source: GivenSource, part: QuestionPart, *, core: bool) -> bool:
    """Does the triple answer the part, or belong to an overview? `core`: one of the main facts alone."""
    triple = source.triple
    if triple is None or triple.subject_id not in part.subjects:
        return False
    if any(answers(triple.relation, each) for each in part.asked):
        return True
    return part.is_general and (is_core(triple.relation) if core else is_telling(triple.relation))


async def _of_open(
    words: str,
    part: QuestionPart,
    triples: Sequence[GivenSource],
    found: QuestionSources,
    settings: Settings,
) -> tuple[list[GivenSource], list[str]]:
    """Returns the triples that the encoder finds relevant to words that name no relation, else the gap."""
    names = [name_of(id_, found) for id_ in part.subjects]
    own = [each for each in triples if each.triple is not None and each.triple.subject_id in part.subjects]
    relevant = await relevant_triples(f"What is the {words}?", own, settings)
    return relevant, [] if relevant else [untold(words, names)]


def _sentences(chosen: Sequence[GivenSource]) -> list[Draft]:
    """Makes one statement of all triples that one sentence says."""
    by_sentence: dict[str, dict[int, None]] = {}
    for source in chosen:
        by_sentence.setdefault(source.passage.text, {})[source.number] = None
    return [Draft(text, tuple(numbers)) for text, numbers in by_sentence.items()]
