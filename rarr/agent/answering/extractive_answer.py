"""Answers without a language model: by triples and sentences of the sources, quoted as they are."""

from collections.abc import Iterator, Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.asked_triples import asked_triples, gaps
from rarr.backends.embedded.near_quotes import items_of
from rarr.records.answers import StatementDraft
from rarr.tools.text.blocks_and_sentences import sentences

_MOST = 10  # statements


def extractive_answer(question: str, found: QuestionSources) -> list[StatementDraft]:
    """Returns the statements of an answer, each by construction what its source says.

    What the graph does not have, or all sources, is told by a statement that needs support.
    """
    told = [
        StatementDraft(text=source.passage.text, citations=(source.number,))
        for source in asked_triples(question, found)[:_MOST]
    ]
    missing = list(gaps(question, found))
    if not told and (quote := _best_sentence(question, found.sources)):
        return [quote]
    return [*_distinct(told), *map(_gap, missing or ([] if told else [_nothing(found)]))]


def _nothing(found: QuestionSources) -> str:
    if found.unclear and not found.subjects:
        return f"The question does not tell which {found.unclear[0]} is meant."
    return "The sources do not answer this question."


def _gap(text: str) -> StatementDraft:
    return StatementDraft(text=text, needs_support=True, is_gap=True)


def _distinct(drafts: Sequence[StatementDraft]) -> Iterator[StatementDraft]:
    """Yields each statement once, with the sources of all that have its words."""
    for text in dict.fromkeys(draft.text for draft in drafts):
        numbers = (number for draft in drafts if draft.text == text for number in draft.citations)
        yield StatementDraft(text=text, citations=tuple(dict.fromkeys(numbers)))


def _best_sentence(question: str, sources: Sequence[GivenSource]) -> StatementDraft | None:
    """Quotes the first sentence that has all words of the question; its names may stand in the title."""
    asked = items_of(question)
    names = {item.stem for item in asked if item.is_name}
    words = {item.stem or question[item.start : item.end] for item in asked} - names
    words -= {item.stem for item in items_of("who what when where which how many much")}
    for source in sources if words else ():
        passage = source.passage
        for span in [] if source.triple else sentences(passage.text):
            said = " ".join(span.of(passage.text).split())
            if words <= _stems(said) and names <= _stems(f"{passage.title} {said}"):
                return StatementDraft(text=said, citations=(source.number,))
    return None


def _stems(text: str) -> set[str]:
    return {item.stem or text[item.start : item.end] for item in items_of(text)}
