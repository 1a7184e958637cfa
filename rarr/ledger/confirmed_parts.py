"""Finds the parts of a sentence that can be checked, and decides whether a passage confirms each."""

from collections.abc import Iterator, Mapping, Sequence

from rarr.backends.rules.agents import name_of_other_agent
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.meaning_changing_words import WordFinder, telling_words
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.passive_voice import has_words_in_order, verb_with_other_agent
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.standalone_claims import Claim, claims, masked
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import checkable_values, same_value
from rarr.ledger.answer_spans import values_at
from rarr.ledger.asked_places import AskedPlace
from rarr.ledger.differently_paired_names import unpaired_name
from rarr.ledger.opposite_prepositions import words_on_another_side
from rarr.ledger.plans_stated_as_facts import unreal_place
from rarr.ledger.replaced_small_words import replaced_small_words
from rarr.ledger.sentence_support import Support
from rarr.ledger.span_confirmation import CheckablePlace
from rarr.ledger.unsaid_words import SHARED, unsaid_words
from rarr.ledger.values_of_other_questions import value_of_another_question
from rarr.ledger.words_only_denied import words_only_denied
from rarr.records import Evidence, Part
from rarr.tools.text.blocks_and_sentences import Span

SURE_SUPPORT = 0.8
"""The least support with which a sentence is supported that has nothing to check but its subject."""
CONFIRMING_SUPPORT = 0.7
"""The least support with which the words of a passage confirm a part; chosen on train/handwritten."""


def sentence_parts(
    text: str,
    context: str | None,
    support: Support,
    asked: Sequence[AskedPlace],
    evidence: Mapping[str, Evidence],
    against: Sequence[str],
) -> list[Part]:
    """Finds the parts of a sentence of `text` in order, and decides their states.

    Only `evidence` confirms a part: by a check, or by its words if it supports the sentence well or if one of
    its checks agreed on another part. `against` are the ids of evidence that contradicts the sentence. Words
    that the evidence does not say become open parts. A sentence without another part is a part itself, if a
    query asks about all of it.
    """
    parsed = parsed_sentence(masked(text, support.span))
    claim = _claim_of(text, context, support)
    places = []
    whole_checks = [check for other in asked if other.place == support.span for check in other.checks]
    for span in _checked_spans(text, claim, [other for other in asked if other.place != support.span]):
        held = values_at(parsed, span.moved(-support.span.start))
        place = CheckablePlace(span, span.of(text), held, parsed, claim)
        checks = [check for other in asked if other.place == span for check in other.checks]
        places.append((place, place.by_checks(checks, evidence, against)))
    for at, alike in _telling_places(claim):
        if not any(at.overlaps(place.span) for place, _ in places):
            place = CheckablePlace(at, at.of(text), [], parsed, claim, alike)
            places.append((place, place.part("open")))
    # The cell "yes" has nothing to check, but its headers alone confirm nothing.
    if claim is not None and claim.headers and not places:
        whole = CheckablePlace(support.span, parsed.text.strip("*_"), [], parsed, claim)
        places.append((whole, whole.part("open")))
    places.sort(key=lambda pair: pair[0].span)
    agreeing = {part.evidence_id for _, part in places if part.state == "confirmed"}
    speaking = sorted(
        (
            name
            for name, score in support.by_evidence.items()
            if name in agreeing or (score or 0.0) >= CONFIRMING_SUPPORT
        ),
        key=lambda name: (name not in agreeing, -(support.by_evidence[name] or 0.0)),
    )
    passages = [evidence[name] for name in speaking if name in evidence]
    parts = [place.by_words(passages) if part.state == "open" else part for place, part in places]
    supporting = [evidence[name] for name in support.by_evidence if name in evidence]
    read = [parsed_passage(each.text, each.title) for each in supporting]
    told_otherwise = [
        unpaired_name(parsed, read),
        value_of_another_question(parsed, context, read),
        *words_on_another_side(parsed, read),
        *replaced_small_words(parsed, read),
        *words_only_denied(parsed, read),
    ]
    if not _is_cell_of_value(claim, parsed):
        told_otherwise.append(unreal_place(parsed, read))
    told = [part for passage in read for part in passage.sentences]
    told_otherwise += [verb_with_other_agent(parsed, told), name_of_other_agent(parsed, told)]
    # A sentence with nothing else to check is supported only if one clause has all of its words.
    is_unchecked = not parts and (support.best or 0.0) >= SURE_SUPPORT
    unsaid = unsaid_words(parsed, read, shared=0.0 if is_unchecked else SHARED)
    doubted = [word.moved(support.span.start) for word in [*unsaid, *filter(None, told_otherwise)]]
    for word in doubted:
        parts = _with_open(parts, word)
    if whole_checks and not parts:
        whole = CheckablePlace(support.span, support.span.of(text), parsed.values, parsed, claim)
        parts = [whole.by_checks(whole_checks, evidence, against)]
    if (support.best or 0.0) >= SURE_SUPPORT:
        return parts
    return _without_title_matches(parts, evidence)


def told_in_swapped_roles(
    text: str, context: str | None, support: Support, evidence: Mapping[str, Evidence]
) -> list[str]:
    """Returns the ids of evidence that has the words of the sentence, with two of its parts exchanged.

    Empty if a passage has a sentence with the same words in the order of the claim: both may be true, as of
    two matches between two teams.
    """
    claim = _claim_of(text, context, support)
    if claim is None:
        return []
    told = {
        name: parsed_passage(evidence[name].text, evidence[name].title).sentences
        for name in support.by_evidence
        if name in evidence
    }
    swapped = [name for name in told if any(has_swapped_roles(claim.sentence, part) for part in told[name])]
    if swapped and any(has_words_in_order(claim.sentence, part) for parts in told.values() for part in parts):
        return []
    return swapped


def _claim_of(text: str, context: str | None, support: Support) -> Claim | None:
    return next((claim for claim in claims(text, context) if claim.span == support.span), None)


def _without_title_matches(parts: list[Part], evidence: Mapping[str, Evidence]) -> list[Part]:
    """Returns the parts. If only names in the titles of passages are confirmed, these become open.

    A title names the subject of a page. If nothing else is confirmed, the page may say nothing about the
    sentence but its subject.
    """
    confirmed = [part for part in parts if part.state == "confirmed"]
    if any(not _is_in_title(part, evidence.get(part.evidence_id)) for part in confirmed):
        return parts
    return [_opened(part) if part.state == "confirmed" else part for part in parts]


def _is_in_title(part: Part, evidence: Evidence | None) -> bool:
    named, titled = checkable_values(part.says), checkable_values(evidence.title) if evidence else ()
    return bool(named) and all(
        value.kind == "name" and any(same_value(value, other) for other in titled) for value in named
    )


def _checked_spans(text: str, claim: Claim | None, asked: Sequence[AskedPlace]) -> list[Span]:
    """Returns the places of queries, and of the claim's other values that a query could ask for, in order.

    A place of a query that contains another is left out.
    """
    distinct = {other.place for other in asked}
    kept = [place for place in distinct if not any(_contains(place, other) for other in distinct)]
    for _, place in askable_values(text, claim) if claim is not None else ():
        if not any(place.overlaps(other) for other in kept):
            kept.append(place)
    return sorted(kept)


def _telling_places(claim: Claim | None) -> Iterator[tuple[Span, WordFinder]]:
    """Yields the place in the text of each word that changes the meaning, such as "not" or "only".

    Each comes with a finder of words that mean the same.
    """
    if claim is None:
        return
    for span, alike in telling_words(claim.sentence):
        if (at := claim.in_text(*span)) is not None:
            yield at, alike


def _with_open(parts: Sequence[Part], place: Span) -> list[Part]:
    """Returns the parts with the part at `place` made open; adds an open part if there is none."""
    at_place = [part for part in parts if place.overlaps(Span(part.start, part.end))][:1]
    if at_place and at_place[0].state == "differs":
        return list(parts)
    opened = _opened(at_place[0]) if at_place else Part(start=place.start, end=place.end, state="open")
    others = [part for part in parts if part not in at_place]
    return sorted([*others, opened], key=lambda part: part.start)


def _opened(part: Part) -> Part:
    return Part(start=part.start, end=part.end, state="open")


def _is_cell_of_value(claim: Claim | None, parsed: ParsedSentence) -> bool:
    """Is this a table cell that begins with its value? A dividend of "0.45 euros" may be a plan."""
    return claim is not None and claim.headers > 0 and any(value.start == 0 for value in parsed.values)


def _contains(place: Span, other: Span) -> bool:
    """Is the other place inside of this place?"""
    return place != other and place.start <= other.start and other.end <= place.end
