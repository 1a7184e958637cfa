"""The gate: decides about proposed edits, of cards and of the paper, and applies the edits of cards.

No edit touches code, links or citations. A card's edit stays in its sentence or cell and does not delete it;
one that is long, lies in a quotation or is doubted is only suggested. As published, nothing is asked after an
edit of the paper: the verdict of the model decides (Gao et al. 2023, section 3.3).
"""

import re
from collections.abc import Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from rarr.components import Baseline
from rarr.ledger.card import edited
from rarr.ledger.sentence_support import moved_place
from rarr.records import Change, Check, Edit, EditState, Evidence
from rarr.records.card import Card, Place
from rarr.state import State, named
from rarr.tools.text.blocks_and_sentences import Span, protected, table_cells

MAX_CHARS, MAX_SHARE = 50, 0.5
"""An edit may exceed one of these limits: characters, and the share of its sentence (`paper`: the text)."""
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|[“„][^”“\n]{1,400}[”“]|«[^»\n]{1,400}»|「[^」\n]{1,400}」")
_MARK = re.compile(
    r"<[|/!?]?[A-Za-z_][^<>\n]{0,200}>|\[/?[A-Z]{3,}[A-Z_]*\]|^#{1,6} |```|(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.\w+",
    re.MULTILINE,
)


def is_reason_to_edit(check: Check, baseline: Baseline) -> bool:
    """Is the check a reason to edit? In a baseline without agreement, every check is."""
    return check.verdict == "disagrees" or not baseline.agreement


def decided(state: State, change: Change, check: Check, evidence: Evidence) -> Edit:
    """Makes the record of an edit of the paper: a change of the text of `state`, for a check."""
    text, place = state["text"], Span(change.start, change.end)
    refusal = out_of_bounds(text, change, evidence)
    if place.start < state.get("lead", 0):
        refusal = refusal or "the change is not in this part of the text"
    return Edit(
        id=named(state, "e", len(state.get("edits", [])) + 1),
        start=place.start,
        end=place.end,
        old=place.of(text),
        new=change.new,
        query_id=check.query_id,
        evidence_id=check.evidence_id,
        state="refused" if refusal else "accepted",
        reason=refusal or check.reason,
    )


def with_card_edits(state: State, query_ids: Mapping[Span, str]) -> State:
    """Applies the edits of the cards that are not decided yet, and returns the update of the state.

    The edits of a card are accepted together or not at all: half of an exchange of two names is wrong.
    `query_ids` gives the query of each sentence. Places of edits point into the text they are applied to.
    """
    text, edits, cards = state["text"], list(state.get("edits", [])), list(state.get("cards", []))
    lead = state.get("lead", 0)
    # All are decided about in the text before the edits, whose structure these do not change.
    decisions = [_decision(text, card, lead) if _is_due(card) else None for card in cards]
    accepted: list[Edit] = []
    for number, (card, decision) in enumerate(zip(cards, decisions, strict=True)):
        if decision is None:
            continue
        outcome, reason = decision
        made: list[Edit] = []
        for edit in moved(card, accepted).edits:
            place = moved_place(Span(edit.start, edit.end), made if outcome == "accepted" else ())
            made.append(
                Edit(
                    id=named(state, "e", len(edits) + len(made) + 1),
                    start=place.start,
                    end=place.end,
                    old=place.of(text),
                    new=edit.new,
                    query_id=query_ids[Span(card.start, card.end)],
                    evidence_id=edit.evidence_id,
                    state=outcome,
                    confirmed=edit.confirmed and card.is_decided,
                    reason=reason or f"the source says “{edit.by}”",
                )
            )
            if outcome == "accepted":
                text = text[: place.start] + edit.new + text[place.end :]
        edits += made
        accepted += made if outcome == "accepted" else ()
        cards[number] = card.model_copy(update={"outcome": outcome})
    return {"text": text, "edits": edits, "cards": [moved(card, accepted) for card in cards]}


def _is_due(card: Card) -> bool:
    return bool(card.edits) and card.outcome is None and card.verdict in ("no", "mixed")


def moved(card: Card, changes: Sequence[Change]) -> Card:
    """Returns the card with its places in the text after these changes, one after another."""
    place = moved_place(Span(card.start, card.end), changes)
    own = any(card.start <= change.start and change.end <= card.end for change in changes)
    if place == (card.start, card.end) and not own:
        return card

    def shifted(part: Place) -> Place:
        span = moved_place(Span(part.start, part.end), changes)
        return part.model_copy(update=span._asdict())

    edits = tuple(shifted(edit) for edit in card.edits)
    opened = tuple(shifted(part) for part in card.open)
    return card.model_copy(update={**place._asdict(), "edits": edits, "open": opened})


def _decision(text: str, card: Card, lead: int) -> tuple[EditState, str]:
    """Decides about the edits of a card, with the reason; empty for accepted edits."""
    for edit in card.edits:
        if edit.start < lead:
            return "refused", "the change lies before the text"
        change = Change(start=edit.start, end=edit.end, new=edit.new)
        if reason := protection(text, Span(card.start, card.end), change):
            return "refused", reason
    if not edited(text, card).strip():
        return "refused", "the edits delete the sentence"
    if card.verdict == "mixed" and card.side != "against":
        return "suggested", "the sources disagree about it"
    if card.doubts:
        return "suggested", card.doubts[0]
    reason = _limit(text, card)
    return ("suggested" if reason else "accepted"), reason


def _limit(text: str, card: Card) -> str:
    """Returns why the edits are only suggested: they are long (Gao et al. 2023, 3.3), or in a quotation."""
    changed = sum(Levenshtein.distance(text[edit.start : edit.end], edit.new) for edit in card.edits)
    length = card.end - card.start
    if changed > MAX_CHARS and changed > MAX_SHARE * length:
        return f"its edits change {changed} of {length} characters"
    quoted = [Span(*match.span()) for match in _QUOTED.finditer(text, card.start, card.end)]
    if any(place.start < edit.end and edit.start < place.end for place in quoted for edit in card.edits):
        return "it changes words in quotation marks"
    return ""


def out_of_bounds(text: str, change: Change, evidence: Evidence) -> str:
    """Returns the reason to refuse an edit of the paper; empty if there is none.

    An edit is refused that exceeds both limits (Gao et al. 2023, section 3.3), or after which code, links and
    citations, lines or cells are not those of the text. So is one that writes a mark of a chat template or of
    HTML, or an address, that neither text nor evidence has: no one looks at the text after the edit.
    """
    old = text[change.start : change.end]
    revised = text[: change.start] + change.new + text[change.end :]
    if not revised.strip():
        return "the change deletes the text"
    if _kept_parts(text) != _kept_parts(revised):
        return "the change touches code, a link or a citation"
    if old.count("\n") != change.new.count("\n") or len(table_cells(text)) != len(table_cells(revised)):
        return "the change adds or removes a line or a cell"
    known = f"{text}\n{evidence.title}\n{evidence.text}"
    if any(match[0] not in known for match in _MARK.finditer(change.new)) or _unprintable(old, change.new):
        return "the change adds markup or an address"
    changed = Levenshtein.distance(old, change.new)
    if changed > MAX_CHARS and changed > MAX_SHARE * len(text):
        return f"it changes {changed} of {len(text)} characters"
    return ""


def _kept_parts(text: str) -> list[str]:
    return [span.of(text) for span in protected(text, 0, len(text))]


def protection(text: str, sentence: Span, change: Change) -> str:
    """Returns the reason to refuse a change of the sentence that no setting allows; empty for none."""
    place = Span(change.start, change.end)
    if any(place.overlaps(span) for span in protected(text, *_lines(text, sentence))):
        return "the change touches code, a link or a citation"
    if _adds_markup(text, sentence, change):
        return "the change adds a link, a citation, markup or a line"
    if sentence in table_cells(text) and re.search(r"[|\r\n]", change.new):
        return "the change adds a cell or a line"
    if not (text[sentence.start : change.start] + change.new + text[change.end : sentence.end]).strip():
        return "the change deletes the sentence"
    return ""


def _adds_markup(text: str, sentence: Span, change: Change) -> bool:
    """Does the change add a link, a citation, markup, a line or an unprintable character?"""
    old = text[change.start : change.end]
    if _unprintable(old, change.new):
        return True
    revised = text[: change.start] + change.new + text[change.end :]
    after = protected(revised, sentence.start, sentence.end + len(change.new) - len(old))
    return len(after) > len(protected(text, *sentence))


def _unprintable(old: str, new: str) -> bool:
    """Has `new` an unprintable character that `old` has not? U+FFFD replaces one that was broken."""
    return any((not char.isprintable() or char == "\ufffd") and char not in old for char in new)


def _lines(text: str, sentence: Span) -> Span:
    """Returns the whole lines of a sentence, because links and code may go beyond it, but beyond no line."""
    end = text.find("\n", sentence.end)
    return Span(text.rfind("\n", 0, sentence.start) + 1, len(text) if end < 0 else end)
