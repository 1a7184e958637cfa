"""Lists what a run found wrong with a document, with its lines and columns, and the words of the sources."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rarr.agent.postprocessing.summary import doubtful, unjudged
from rarr.records import Evidence, Revision, Sentence
from rarr.records.document_checks import DoubtfulPart, Finding, Place, SourceQuote
from rarr.tools.text.blocks_and_sentences import closest_sentence

_MOST_BYTES = 10_000_000  # of a source file that is read to find the line of a quote
_MOST_QUOTES = 3


def document_findings(revision: Revision, fail_on: Sequence[str]) -> list[Finding]:
    """Returns the sentences that are contradicted, not confirmed or unjudged, in the order of the text.

    `fail_on` are the statuses by which a sentence fails.
    """
    found = [*doubtful(revision), *unjudged(revision)]
    return [
        Finding(
            status=sentence.status,
            fails=sentence.status in fail_on,
            text=sentence.text,
            place=_place(revision.original, sentence.start, sentence.end),
            parts=tuple(_parts(sentence, revision.original)),
            quotes=tuple(_quotes(sentence, revision)),
        )
        for sentence in sorted(found, key=lambda sentence: sentence.start)
    ]


def _place(text: str, start: int, end: int) -> Place:
    """Returns the place with its lines and columns, which count from 1; columns are in characters."""
    return Place(
        start=start,
        end=end,
        line=_line_at(text, start),
        column=start - text.rfind("\n", 0, start),
        end_line=_line_at(text, end),
        end_column=end - text.rfind("\n", 0, end),
    )


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _parts(sentence: Sentence, text: str) -> Iterator[DoubtfulPart]:
    for part in sentence.parts:
        if part.state != "confirmed":
            words = sentence.text[part.start - sentence.start : part.end - sentence.start]
            place = _place(text, part.start, part.end)
            yield DoubtfulPart(words=words, state=part.state, place=place, says=part.says)


def _quotes(sentence: Sentence, revision: Revision) -> list[SourceQuote]:
    """Quotes at most three passages of a sentence, first those that differ from it."""
    by_id = {passage.id: passage for passage in revision.evidence}
    quotes: dict[tuple[str, int], SourceQuote] = {}
    for name, says in _said(sentence, revision):
        passage = by_id.get(name)
        if passage and (passage.source, passage.start) not in quotes and len(quotes) < _MOST_QUOTES:
            quotes[passage.source, passage.start] = _quote(passage, says, sentence.text)
    return list(quotes.values())


def _said(sentence: Sentence, revision: Revision) -> Iterable[tuple[str, str]]:
    """Yields pairs of the id of a passage and its words that differ from the sentence.

    Passages that differ come first, then all passages of the sentence with "" for the words.
    """
    yield from ((part.evidence_id, part.says) for part in sentence.parts if part.state == "differs")
    for check in revision.checks:
        if check.evidence_id in sentence.evidence_ids and check.verdict == "disagrees":
            yield check.evidence_id, check.evidence_answer
    yield from ((name, "") for name in sentence.evidence_ids)


def _quote(passage: Evidence, says: str, sentence: str) -> SourceQuote:
    quote = closest_sentence(passage.text, says or sentence)
    return SourceQuote(
        quote=quote,
        says=says,
        source=passage.source,
        title=passage.title,
        start=passage.start,
        end=passage.end,
        line=_line(passage, quote),
    )


def _line(passage: Evidence, quote: str) -> int | None:
    """Finds the line of the quote, if the source is a file that holds the passage at its offsets."""
    try:
        file = Path(passage.source)
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):  # an address, or a file of another kind
        return None
    if text[passage.start : passage.end] != passage.text:
        return None
    return _line_at(text, passage.start + max(0, passage.text.find(quote)))
