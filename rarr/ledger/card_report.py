"""Makes the report of a run from cards. A card is the answer of a reader about one sentence."""

from collections.abc import Iterator, Mapping, Sequence

from rarr.backends.embedded.near_quotes import states_nothing
from rarr.backends.embedded.values.comparing import has_value
from rarr.backends.embedded.values.reading import values
from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.scores import reasons_unsearched
from rarr.records import NOT_JUDGED, Check, Notice, Part, Query, Sentence, Status, Verdict
from rarr.records.cards_and_edits import Card, Quote, Side
from rarr.state import Attributed, State, usable_evidence
from rarr.tools.text.blocks_and_sentences import Span, sentences


def sentences_to_read(state: State) -> list[Span]:
    """Returns the places of the sentences of the current text that a reader should judge."""
    return [span for span in sentences(state["text"]) if span.start >= state.get("lead", 0)]


def queries_by_sentence(state: State, spans: Sequence[Span]) -> dict[Span, list[Query]]:
    """Returns the queries about each sentence at `spans`, the earliest query first."""
    queries = moved_queries(state.get("queries", []), state.get("edits", []))
    rows = [(query, query.start, query.end) for query in queries]  # a tuple is read faster than a record
    return {span: [it for it, start, end in rows if start < span.end and span.start < end] for span in spans}


def checks_of_quotes(cards: Sequence[Card], text: str, asked: Mapping[Span, Sequence[Query]]) -> list[Check]:
    """Makes a check for each passage that a card quotes for or against. `asked`: the queries by sentence."""
    return [
        Check(
            verdict=_check_verdict(card, side),
            query_id=queries[0].id,
            evidence_id=name,
            text_answer=", ".join(text[edit.start : edit.end] for edit in card.edits),
            evidence_answer=", ".join(edit.by for edit in card.edits if edit.evidence_id == name),
            quote="\n".join(it.text for it in card.quotes if (it.evidence_id, it.side) == (name, side)),
            reason="; ".join(card.doubts),
        )
        for card in cards
        if (queries := asked.get(Span(card.start, card.end), ()))
        for name, side in dict.fromkeys((quote.evidence_id, quote.side) for quote in card.quotes)
    ]


def _check_verdict(card: Card, side: Side) -> Verdict:
    if card.verdict == "open" or card.unreliable or _is_unconfirmed_contradiction(card):
        return "unknown"
    return "disagrees" if side == "against" else "agrees"


def card_sentences(state: State) -> tuple[Sentence, ...]:
    """Makes the record of each sentence of the current text from the card of the sentence."""
    text, spans = state["text"], sentences_to_read(state)
    asked = queries_by_sentence(state, spans)
    cards = {card.start: card for card in state.get("cards", [])}
    return tuple(_sentence(text, span, cards.get(span.start), state, asked[span]) for span in spans)


def _sentence(text: str, span: Span, card: Card | None, state: State, queries: Sequence[Query]) -> Sentence:
    is_nothing = (card is None or not card.quotes) and states_nothing(span.of(text))
    status = status_of_card(card) if card and card.verdict else _status_without_verdict(card, state, queries)
    status = "unjudged" if is_nothing else status
    quotes = _deciding_quotes(card, status) if card else ()
    return Sentence(
        text=span.of(text),
        **span._asdict(),
        status=status,
        checkable=not is_nothing and (card is None or card.verdict != "none" or card.unreliable),
        evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
        quotes=quotes,
        parts=tuple(sorted(_sentence_parts(text, span, card, status), key=lambda part: part.start)),
    )


def _deciding_quotes(card: Card, status: Status) -> tuple[Quote, ...]:
    """Returns the card's quotes; () if no word is decided. If edits corrected the sentence, all are `for`."""
    if card.verdict == "open" and any((it.start, it.end) == (card.start, card.end) for it in card.open):
        return ()
    if status != "supported" or card.verdict != "no":
        return card.quotes
    return tuple(quote.model_copy(update={"side": "for"}) for quote in card.quotes)


def is_sure_support(card: Card) -> bool:
    """Tells whether a card without doubts says `yes`, or says `mixed`, but the sources for it weigh more."""
    says_so = card.verdict == "yes" or (card.verdict == "mixed" and card.side == "for" and not card.open)
    return says_so and not card.doubts


def _is_unconfirmed_contradiction(card: Card) -> bool:
    """Tells whether a doubted `no` or `mixed` card has no edit with source words, or has the side `for`."""
    is_doubted = card.verdict in ("no", "mixed") and bool(card.doubts)
    return is_doubted and (card.side == "for" or not any(edit.by for edit in card.edits))


def status_of_card(card: Card) -> Status:
    """Returns the status of a sentence by its card, after the edits of the card were accepted or refused."""
    if card.verdict is None or (card.verdict == "none" and not card.unreliable):
        return "unjudged"
    if card.unreliable or _is_unconfirmed_contradiction(card):
        return "unconfirmed"
    if is_sure_support(card):
        return "supported"
    if card.outcome == "accepted":
        return "unconfirmed" if card.open else "supported"
    return "unconfirmed" if card.verdict in ("yes", "open") else "contradicted"


def _status_without_verdict(card: Card | None, state: State, queries: Sequence[Query]) -> Status:
    """Returns `retrieval_failed` if a search failed, `no_evidence` if none kept a passage, or `unjudged`."""
    ids = [query.id for query in queries]
    missing = reasons_unsearched(state, ids)
    if "failed" in missing:
        return "retrieval_failed"
    if "cut" in missing or not queries or (card is not None and card.reason):
        return "unjudged"
    kept = state.get("kept", {})
    searched = any(query.searched for query in queries) or bool(usable_evidence(state))
    return "no_evidence" if searched and not any(kept.get(query_id) for query_id in ids) else "unjudged"


def card_support_before_and_after(state: State) -> Attributed:
    """Returns two lists, before and after edits: 1 or 0 for each checkable sentence, None if not judged."""
    cards = {card.start: card for card in state.get("cards", [])}
    before, after = list[float | None](), list[float | None]()
    for sentence in (it for it in state["report"].sentences if it.checkable):
        card, judged = cards.get(sentence.start), sentence.status not in NOT_JUDGED
        before.append(float(card is not None and is_sure_support(card)) if judged else None)
        after.append(float(sentence.status == "supported") if judged else None)
    return before, after


def _sentence_parts(text: str, span: Span, card: Card | None, status: Status) -> Iterator[Part]:
    """Yields the parts of a sentence: undecided words, contradicted words, confirmed numbers and dates."""
    open_ = [Span(place.start, place.end) for place in card.open] if card else []
    if status == "no_evidence" or (status == "unconfirmed" and card and not open_):
        open_ = [span]
    yield from (Part(**place._asdict(), state="open") for place in open_)
    if card is None:
        return
    placed = [(value, value.span.moved_by(span.start)) for value in values(span.of(text))]
    for edit in (it for it in card.edits if status == "contradicted" and it.end > it.start):
        around = (place for _, place in placed if place.start <= edit.start and edit.end <= place.end)
        rests = ((place, text[place.start : edit.start], text[edit.end : place.end]) for place in around)
        # An edit has only the words that differ, but the part has the whole value.
        whole = next((place for place, left, right in rests if left in edit.by and right in edit.by), edit)
        facts = {"evidence_id": edit.evidence_id, "says": edit.by}
        yield Part(start=whole.start, end=whole.end, state="differs", **facts)
    for value, place in placed if status in ("supported", "unconfirmed") else ():
        quote = next((it for it in card.quotes if has_value(it.text, value)), None)
        if quote and not any(place.overlaps(it) for it in open_):
            yield Part(**place._asdict(), state="confirmed", evidence_id=quote.evidence_id)


def disagreement_notices(state: State) -> list[Notice]:
    """Makes a warning for each sentence about which the sources disagree."""
    return [
        Notice(
            code="sources_disagree",
            message=f"the sources disagree about “{state['text'][card.start : card.end][:80]}”",
            node="attribute",
        )
        for card in state.get("cards", [])
        if (card.verdict == "mixed" or card.disputed) and not card.unreliable
    ]
