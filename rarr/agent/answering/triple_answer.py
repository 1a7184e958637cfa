"""Answers from triples without a language model: each statement is the sentence of the triples it cites."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_gaps import gap_sentences, name_of, pointing, unclear, untold
from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart, question_parts
from rarr.agent.answering.relevant_triples import relevant_triples, without_names
from rarr.backends.rules.asked_relations import answers, clauses, is_core, is_telling
from rarr.records.answers import PartAnswer
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import work

_ASKS = re.compile(r"(?:who|whom|whose|what|when|where|which|why|how)\s+\w+\s+\w", re.IGNORECASE)


async def triple_answers(question: str, found: QuestionSources, settings: Settings) -> list[PartAnswer]:
    """Answers each part of the question; what it asks for and no triple says becomes a gap."""
    if not found.subjects:
        text = unclear(found.unclear) if found.unclear else "The graph has nothing that the question names."
        return [PartAnswer(text=part, gaps=(text,)) for part in clauses(question)]
    triples = [source for source in found.sources if source.triple is not None]
    parts = await work(question_parts, question, found)
    is_asked = any(part.asked for part in parts)
    found_by_part = [await _of_part(part, triples, found, settings, core=is_asked) for part in parts]
    if not (is_asked or any(part.triples or part.gaps for part in found_by_part)):
        mentions = await work(found.graph.link, question) if found.graph else []
        relevant = await relevant_triples(without_names(question, mentions), triples, settings)
        names = " and ".join(name_of(id_, found) for id_ in found.subjects)
        gaps = [] if relevant else [f"The graph does not tell this of {names}."]
        return [PartAnswer(text=part.text, triples=_numbers(relevant), gaps=tuple(gaps)) for part in parts]
    return [
        part.model_copy(update={"gaps": part.gaps or _gap_of(part)}) if not part.triples else part
        for part in found_by_part
    ]


async def _of_part(
    part: QuestionPart,
    triples: Sequence[GivenSource],
    found: QuestionSources,
    settings: Settings,
    *,
    core: bool,
) -> PartAnswer:
    chosen = [source for source in triples if _is_wanted(source, part, core=core)]
    chosen += pointing(part.subjects, part.asked, triples, found)
    gaps = await work(gap_sentences, [part], triples, found)
    for words in part.open:
        relevant, gap = await _of_open(words, part, triples, found, settings)
        chosen += relevant
        gaps += gap
    return PartAnswer(text=part.text, triples=_numbers(chosen), gaps=tuple(gaps))


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


def _gap_of(part: PartAnswer) -> tuple[str, ...]:
    """Returns the gap of a part without any other; a part that asks nothing, such as a name, has none."""
    return (f"The graph does not answer: {part.text}",) if _ASKS.match(part.text) else ()


def _numbers(sources: Sequence[GivenSource]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(source.number for source in sources))
