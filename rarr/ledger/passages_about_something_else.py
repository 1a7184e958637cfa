"""Decides whether the passage behind an edit may tell about something else than the sentence of the edit."""

import re
from collections.abc import Iterator, Mapping, Sequence

from rarr.backends.rules.counterparts import ParsedPassage, parsed_passage
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.standalone_claims import masked
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.backends.rules.words import Token
from rarr.ledger.nearest_clauses import clauses_of, nearest_clauses
from rarr.ledger.opposite_prepositions import sides, words_on_another_side
from rarr.ledger.plans_stated_as_facts import unreal_place
from rarr.records import Check, Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span

_JOINT = re.compile(r"\s+(?:of|for|in|to|from|with|by|under|at|on)\s+(?:(?:the|an?|its|their|all)\s+)?")


def other_context(text: str, sentence: Span, source: Evidence) -> str:
    """Returns the first word of a sentence by which it tells about another thing than `source`; else empty.

    It is a word that narrows another one, and that the source does not say: "maximum" in "the maximum dose"
    beside "the starting dose", or "children" in "the dose for children" beside "the dose for adults". Or it
    is a preposition, as "before" is beside "after", or a word that the source only plans.
    """
    parsed, passage = parsed_sentence(masked(text, sentence)), parsed_passage(source.text, source.title)
    places = [
        *_narrowing_words(parsed, passage),
        *words_on_another_side(parsed, [passage]),
        *filter(None, [unreal_place(parsed, [passage])]),
    ]
    return next((place.of(parsed.text) for place in sorted(places)), "")


def other_contexts(
    text: str,
    sentence: Span,
    queries: Sequence[Query],
    checks: Mapping[str, Sequence[Check]],
    evidence: Mapping[str, Evidence],
) -> set[str]:
    """Returns the ids of the evidence for values of a sentence that may tell about something else.

    `checks` are those of each query, and `evidence` all evidence by its id.
    """
    asked = [query for query in queries if not is_about_statement(query)]
    names = {check.evidence_id for query in asked for check in checks[query.id]}
    return {name for name in names if other_context(text, sentence, evidence[name])}


def has_another_value(claim: ParsedSentence, changed: Span, source: Evidence) -> bool:
    """Has a clause of the source what an edit would change in the claim, and another number or date instead?

    Then that value may be wrong, and not what would be `changed`: "Before surgery, the dose is 20 mg" beside
    "Before surgery, the dose is 10 mg; after surgery, it is 20 mg".
    """
    values = [value for value in claim.values if value.kind in ("number", "date")]
    taken = [value_extent(value) for value in values]
    words = {word.stem for word in claim.content if not any(_is_in(word, span) for span in taken)}
    claimed_sides = {(side, word) for _, side, word in sides(claim.text)}
    passage = parsed_passage(source.text, source.title)
    return any(
        words <= {word.stem for word in clause.content} | passage.title_stems
        and claimed_sides <= {(side, word) for _, side, word in sides(clause.text)}
        and any(_is_replaced(value, clause.values) for value in values if not _overlaps(value, changed))
        and not any(_is_replaced(value, clause.values) for value in values if _overlaps(value, changed))
        for clause in clauses_of(passage.sentences)
    )


def _overlaps(value: Value, place: Span) -> bool:
    return place.overlaps(value_extent(value))


def _is_replaced(value: Value, others: Sequence[Value]) -> bool:
    """Do `others` have no such value, but another that can be compared with it?"""
    compared = [same_value(value, other) for other in others if other.kind == value.kind]
    return False in compared and True not in compared


def _narrowing_words(claim: ParsedSentence, passage: ParsedPassage) -> Iterator[Span]:
    """Yields words that the passage does not say, and that narrow a word of a clause nearest to the claim."""
    told = {word.stem for clause in nearest_clauses(claim, [passage]) for word in clause.content}
    values = [value_extent(value) for value in claim.values]
    numbers = [Span(value.start, value.end) for value in claim.values if value.kind != "name"]
    for word, narrowed in narrowed_words(claim):
        if any(_is_in(narrowed, number) for number in numbers):
            continue  # the verb of "tickets cost 12 euros" narrows nothing
        is_said = word.stem in passage.spread or word.stem in passage.title_stems
        if narrowed.stem in told and not is_said and not any(_is_in(word, span) for span in values):
            yield Span(word.start, word.end)


def narrowed_words(part: ParsedSentence) -> Iterator[tuple[Token, Token]]:
    """Yields each word right before another one, or behind it and "of" or the like, with the other one."""
    for first, second in zip(part.content, part.content[1:], strict=False):
        between = part.text[first.end : second.start]
        if between in (" ", "-"):
            yield first, second
        elif _JOINT.fullmatch(between):
            yield second, first


def _is_in(word: Token, place: Span) -> bool:
    return place.start <= word.start < place.end
