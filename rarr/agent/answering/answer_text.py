"""Joins the statements of an answer to one text, in which each sentence names what it is about."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.values import checkable_values
from rarr.records import Passage
from rarr.retrievers.graph.triples import name_key
from rarr.tools.text.blocks_and_sentences import Span, sentences

_EARLY = 2  # words before a name that is the subject, such as "In the"


class AnswerText(NamedTuple):
    """The statements as one text. Where a sentence has a pronoun, the name before it stands in its place.

    `question` gives a subject to a first sentence without a name. `sentences` are the places of the sentences
    of each statement, and `said` the words of the sentences as they were written.
    """

    text: str
    question: str
    sentences: Sequence[Sequence[Span]]
    said: Mapping[Span, str]


def answer_text(question: str, statements: Sequence[str], names: Sequence[str] = ()) -> AnswerText:
    """Joins the statements, and finds their sentences.

    `names` are names of a graph in the question and the statements: "Orsk mill" is put in, and not "Orsk".
    """
    written, places = "\n\n".join(statements), list[Span]()
    for statement in statements:
        start = places[-1].end + 2 if places else 0
        places.append(Span(start, start + len(statement)))
    spans = sentences(written)
    named = {claim.span: _named(claim, names) for claim in claims(written, question)}
    pieces, said, found, position = list[str](), dict[Span, str](), list[list[Span]](), 0
    for place in places:
        of_statement = list[Span]()
        for span in [each for each in spans if each.overlaps(place)] or [place]:
            pieces.append(named.get(span, span.of(written)))
            of_statement.append(Span(position, position + len(pieces[-1])))
            said[of_statement[-1]] = span.of(written)
            position += len(pieces[-1]) + 2
        found.append(of_statement)
    return AnswerText("\n\n".join(pieces), question, found, said)


def _named(claim: Claim, names: Sequence[str]) -> str:
    """Returns the claim, with the whole name where a part of it was put in, and of no other name."""
    sentence = claim.sentence.text
    part = sentence[: claim.put_in].removesuffix(": ").removesuffix("'s")
    wholes = {name for name in names if part and _stands_in(part, name)}
    return (wholes.pop() if len(wholes) == 1 else part) + sentence[len(part) :]


def may_be_about(answer: AnswerText, span: Span, passage: Passage) -> bool:
    """May the passage be about what the sentence is about? "The dam" is the dam that the question names.

    A sentence with a name as its subject, or with a name of the question, tells it itself. For any other, the
    passage or its title must have a name of the question, if the question has one.
    """
    names, sentence = _names(answer.question), span.of(answer.text)
    own = [value for value in checkable_values(sentence) if value.kind == "name"]
    if not names or any(len(sentence[: value.start].split()) <= _EARLY for value in own):
        return True
    return any(_stands_in(name, f"{sentence} {passage.title} {passage.text}") for name in names)


def _names(text: str) -> list[str]:
    return [text[value.start : value.end] for value in checkable_values(text) if value.kind == "name"]


def _stands_in(name: str, text: str) -> bool:
    return f" {name_key(name)} " in f" {name_key(text)} "
