"""Checks a reader's card: looks up its quotes, compares numbers and dates, and finds reasons to ask again.

A card is the answer of a reader about a sentence. A line is a sentence, list item or table row of a source.
The reader decides whether lines support the sentence. Code looks up the words that the reader copied.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from pathlib import PurePath

from rarr.backends.embedded.items import Line, items_of, lines_of
from rarr.backends.embedded.near_quotes import LEAST_SHARED, align, card_of
from rarr.backends.embedded.values.comparing import compare, has_value, may_be_equal, may_state
from rarr.backends.embedded.values.forms import Value
from rarr.backends.embedded.values.reading import values
from rarr.backends.source_lines import labelled_excerpts
from rarr.components import RawCard, RawEdit, SourceLine
from rarr.records import Evidence
from rarr.records.cards_and_edits import Card, CardEdit, CardVerdict, Place, Quote, Side
from rarr.tools.text.blocks_and_sentences import Span, protected_spans
from rarr.tools.text.folding import fold, smallest_replacement

Lines = Mapping[str, SourceLine]
"""The source lines of the excerpts in a request, by their labels."""

NOT_QUOTED = "it cites no line of a source"
TITLE = "it quotes only a title"
NAMESAKE = "its quotes may be about something else with this name"
EXCHANGED = "its edits only exchange words, so no value confirms them"
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\w.,]*\w")


def make_card(raw: RawCard, text: str, place: Span, lines: Lines) -> Card:
    """Makes a checked card from the reader's answer `raw` about the sentence at `place` of `text`.

    `lines` maps the labels that the reader quotes to source lines. The verdict becomes `open` if the card
    quotes no line, if it contradicts itself, or if it says `none` about a sentence with a number. The card
    gets doubts: no quoted line has a number of the sentence, or the source words of an edit; a quoted line
    has the opposite bound of a new number; or the verdict is `no`, and no edit corrects the sentence.
    """
    sentence = place.of(text)
    # A source need not have the small number words, such as "one" or "first".
    numbers = [it for it in values(sentence) if not (it.is_word and it.amounts and it.amounts[0].amount <= 2)]
    shown = tuple(dict.fromkeys(it.evidence_id for it in lines.values()))
    if raw.verdict == "none" and not numbers:
        return Card(**place._asdict(), verdict="none", shown=shown)
    cited, against = (
        [lines[label] for label in dict.fromkeys(labels) if label in lines]
        for labels in (raw.quotes, raw.against)
    )
    verdict, lacks_quotes = _checked_verdict(raw, cited, against), raw.verdict in ("yes", "no") and not cited
    own_side: Side = "against" if verdict == "no" else "for"
    quoted = [*((own_side, it) for it in cited), *(("against", it) for it in against if not lacks_quotes)]
    card = Card(
        **place._asdict(),
        verdict=verdict,
        quotes=tuple(
            Quote(evidence_id=it.evidence_id, start=it.start, end=it.end, text=it.text, side=side)
            for side, it in quoted
        ),
        open=_open_places(raw, place, sentence, is_open=verdict == "open", lacks_quotes=lacks_quotes),
        shown=shown,
        reason=NOT_QUOTED if lacks_quotes else "",
    )
    if verdict == "open":
        return card
    claimed = numbers if verdict != "no" and cited else ()
    if missing := [f"“{it.text}”" for it in claimed if not _states_value(it, cited)]:
        card = with_doubts(card, ["no quoted line has " + ", ".join(missing)])
    if verdict == "no" and not raw.edits:
        card = with_doubts(card, ["it names no correction"])
    return _with_edits(card, raw, sentence, cited if verdict == "no" else against, lines)


def with_doubts(card: Card, unclear: Sequence[str] = (), doubts: Sequence[str] = ()) -> Card:
    """Adds `unclear` (reasons to ask the reader again) and `doubts` (reasons not to trust the card)."""
    return card.model_copy(update={"unclear": (*card.unclear, *unclear), "doubts": (*card.doubts, *doubts)})


def _checked_verdict(raw: RawCard, cited: Sequence[SourceLine], against: Sequence[SourceLine]) -> CardVerdict:
    """Returns the verdict of `raw`; `open` if it is `none` or lacks quotes, or if parts of `raw` conflict."""
    if raw.verdict == "mixed":
        return "mixed" if against and (cited or len(against) > 1) else "open"
    contradicts_itself = raw.verdict == "yes" and bool(raw.open or raw.edits or against)
    return "open" if raw.verdict == "none" or not cited or contradicts_itself else raw.verdict


def _open_places(
    raw: RawCard, place: Span, sentence: str, *, is_open: bool, lacks_quotes: bool
) -> tuple[Place, ...]:
    """Returns the places of the words `raw.open`, or of the whole sentence if no quote decides any word."""
    whole = Span(0, len(sentence))
    spans = [(fold(sentence).find(words) or [whole])[0] for words in raw.open if words.strip()]
    if lacks_quotes or raw.verdict == "none" or (is_open and not spans):
        spans = [whole]
    return tuple(Place(**span.moved_by(place.start)._asdict()) for span in dict.fromkeys(spans))


def with_title_doubts(card: Card, text: str, kept: Sequence[Evidence], context: str) -> Card:
    """Adds a doubt if a card supports by titles alone, or may quote a page about a thing with the same name.

    The page may be about another thing in two cases: only titles of other passages in `kept` share a word
    with `text` or `context`; or the title of another passage has a word of the sentence, such as "2023", that
    the quotes and their titles lack. Ignores titles that are names of files.
    """
    named = {it.id: it.title.strip("# ") for it in kept}
    folded = ((fold(it.text.strip("# ")), fold(named.get(it.evidence_id, ""))) for it in card.quotes)
    if card.verdict == "yes" and all(quote.text in title.text for quote, title in folded):
        return with_doubts(card, doubts=[TITLE])
    run, sentence = _word_stems(f"{context}\n{text}"), _word_stems(text[card.start : card.end])
    titles = {it.id: _word_stems(it.title) for it in kept if not _is_file_name(it)}
    quoted = [titles.pop(name) for name in card.quoted_evidence_ids if name in titles]
    is_foreign = not any(it & run for it in quoted) and any(it & run for it in titles.values())
    telling = frozenset().union(*(it & sentence for it in titles.values())).difference(*quoted)
    is_foreign |= bool(telling and telling.difference(*(_word_stems(it.text) for it in card.quotes)))
    return with_doubts(card, [NAMESAKE]) if quoted and is_foreign else card


def _is_file_name(passage: Evidence) -> bool:
    file = PurePath(passage.source.replace("\\", "/").casefold())
    return passage.title.casefold() in (file.name, file.stem)


def with_comparison_doubts(card: Card, text: str, kept: Sequence[Evidence]) -> Card:
    """Adds doubts if a line nearly repeats a card's sentence, with the card's edits, but differs from it.

    `doubts`: a quoted line has another value (number or date) than the sentence of a card with `yes`; or all
    quotes are the sentence of a card with `no`, word for word. `unclear` (ask the reader again): a quoted
    line has one or two other words; a passage has the sentence of a card with `no`, word for word; another
    line of `kept` has another value (`disputed`). No doubt is added if a line repeats the edited sentence.
    """
    above, edited, sentence = text[: card.start], edited_sentence(text, card), text[card.start : card.end]
    if card.verdict == "no" and any(fold(it.text).holds(sentence.rstrip(".!?")) for it in kept):
        why = ["a passage has the sentence word for word"]
        is_quoted = all(fold(it.text).text == fold(sentence).text for it in card.quotes)
        return with_doubts(card, doubts=why) if is_quoted else with_doubts(card, why)
    if card.verdict != "yes" and not card.edits:
        return card
    excerpts = labelled_excerpts(kept)
    shown = tuple(line for excerpt in excerpts for line in lines_of(excerpt))
    near = _compare_with_lines(edited, above, shown)
    if near.verdict == "yes":
        return card
    if card.verdict in ("yes", "no"):
        places = {(it.evidence_id, it.start) for it in card.quotes}
        quoted = {it.label for one in excerpts for it in one.lines if (it.evidence_id, it.start) in places}
        lines = [it for it in shown if it.labels[-1] in quoted]
        cited = card_of(edited, above, lines, hedged=True)
        why = ["a quoted line nearly repeats it, and differs"]
        if cited.verdict == "no" and card.verdict == "yes" and _edits_only_values(cited):
            return with_doubts(card, doubts=why)
        if cited.verdict == "no" or (card.verdict == "yes" and _line_alters_words(edited, lines)):
            return with_doubts(card, why)
    if near.verdict == "mixed" or (near.verdict == "no" and _edits_only_values(near)):
        why = ["a line of a passage nearly repeats it, and has another value"]
        return with_doubts(card.model_copy(update={"disputed": True}), why)
    return card


@lru_cache(maxsize=1024)  # a sentence is compared while the model reads, and again after the model's answer
def _compare_with_lines(sentence: str, above: str, lines: tuple[Line, ...]) -> RawCard:
    words = {item.key for item in items_of(sentence) if item.stem}  # two missing words: the line is not near
    return card_of(sentence, above, [it for it in lines if len(words - it.all_keys) < 2], hedged=True)


def _line_alters_words(sentence: str, lines: Sequence[Line]) -> bool:
    """Tells whether a line differs by one or two words from `sentence`, and no line repeats `sentence`."""
    near = (align(items_of(sentence), line) for line in lines)
    found = [[(len(it.own), len(it.other)) for it in one.diffs] for one in near if one.shared >= LEAST_SHARED]
    return all(found) and any(it in ([(1, 1)], [(1, 1)] * 2) for it in found)


def _edits_only_values(card: RawCard) -> bool:
    return all(values(it.old) and values(it.new) for it in card.edits)


def edited_sentence(text: str, card: Card, at: int = 0) -> str:
    """Returns a card's sentence with the card's edits. `text` begins at the offset `at` of the whole text."""
    sentence, start = text[card.start - at : card.end - at], card.start
    for edit in sorted(card.edits, key=lambda edit: edit.start, reverse=True):
        sentence = sentence[: edit.start - start] + edit.new + sentence[edit.end - start :]
    return sentence


def _with_edits(card: Card, raw: RawCard, sentence: str, cited: Sequence[SourceLine], lines: Lines) -> Card:
    for edit in raw.edits:
        card = _with_edit(card, edit, sentence, cited, lines)
    edits = sorted(dict.fromkeys(card.edits), key=lambda edit: (edit.start, edit.end))
    if any(second.start < first.end for first, second in pairwise(edits)):
        return with_doubts(card.model_copy(update={"edits": ()}), doubts=["its edits overlap"])
    if raw.edits and not (edits or card.doubts):
        card = with_doubts(card, doubts=["its edits change nothing"])
    card = card.model_copy(update={"edits": _join_exchanges(edits, card, sentence)})
    after = edited_sentence(sentence, card, card.start)
    is_exchange = sentence != after and sorted(_TOKEN.findall(sentence)) == sorted(_TOKEN.findall(after))
    return with_doubts(card, [EXCHANGED]) if is_exchange else card


def _join_exchanges(edits: Sequence[CardEdit], card: Card, sentence: str) -> tuple[CardEdit, ...]:
    """Joins edits that swap words, and edits between them, into one edit: half of a swap would be wrong."""
    olds = [sentence[it.start - card.start : it.end - card.start].strip().casefold() for it in edits]
    news = [it.new.strip().casefold() for it in edits]
    moved = [at for at, it in enumerate(zip(olds, news, strict=True)) if {*it} <= {*olds} & {*news}]
    if not moved:
        return tuple(edits)
    group = edits[moved[0] : moved[-1] + 1]
    place = Span(group[0].start, group[-1].end)
    if protected_spans(sentence, *place.moved_by(-card.start)):
        return tuple(edits)
    new = edited_sentence(sentence, Card(**place._asdict(), verdict="no", edits=tuple(group)), card.start)
    by = " … ".join(dict.fromkeys(it.by for it in group))
    made = {"end": place.end, "new": new, "by": by, "confirmed": all(it.confirmed for it in group)}
    return (*edits[: moved[0]], group[0].model_copy(update=made), *edits[moved[-1] + 1 :])


def _with_edit(card: Card, edit: RawEdit, sentence: str, cited: Sequence[SourceLine], lines: Lines) -> Card:
    """Adds `edit` to the card, with a doubt for each fault, such as source words that `cited` lacks."""
    if (span := find_once(edit.old, sentence)) is None:
        return with_doubts(card, doubts=[f"“{edit.old or '…'}” must stand exactly once in the sentence"])
    span, new = smallest_replacement(span, sentence, edit.new)
    if span.of(sentence) == new or _has_same_value(span, sentence, new):
        return card
    unclear, unproven, is_confirmed = list[str](), list[str](), False
    having = ((line, fold(line.text).find(edit.by)) for line in cited)
    source, by_place = next(((line, places[0]) for line, places in having if places), (cited[0], Span(0, 0)))
    if not (by := by_place.of(source.text)):
        unproven.append(f"the cited lines do not have the words “{edit.by or '…'}”")
    written = sentence[: span.start] + new + sentence[span.end :]
    place = Span(span.start, span.start + len(new))
    if any(_is_opposed(it, cited) for it in values(written) if Span(it.bound_start, it.end).overlaps(place)):
        unproven.append("a quoted line has the opposite bound")
    added = [it for it in values(written) if it.span.overlaps(place) and not has_value(sentence, it)]
    if missing := [value for value in added if not _states_value(value, cited)]:
        # A quoted line may have the value with another rate or bound. A table row may have only the number.
        told = [it for line in cited for it in values(line.text)]
        alone = [it for it in told if not (it.unit or it.noun)]
        is_near = all(any(may_be_equal(value, it) for it in told) for value in missing)
        is_near |= all(any(may_state(it, value) for it in alone) for value in values(new))
        doubts = unclear if is_near else unproven
        doubts.append(f"no quoted line has “{missing[0].span.of(written)}”")
    elif by:
        is_confirmed = _line_confirms_edit(span, sentence, new, added, by_place, source.text)
        is_confirmed |= _only_removes_words(edit, new)
        if not is_confirmed:
            shown = f"“{new}” in these words" if new.strip() else f"that “{span.of(sentence)}” is wrong"
            unclear.append(f"“{by}” does not show {shown}")
        if _nearer_line_has_words(span, sentence, cited, lines):
            unclear.append(f"another line, closer to this sentence, has “{span.of(sentence)}”")
    facts = {"new": new, "by": by, "evidence_id": source.evidence_id, "confirmed": is_confirmed}
    made = CardEdit.model_validate({**span.moved_by(card.start)._asdict(), **facts})
    return with_doubts(card.model_copy(update={"edits": (*card.edits, made)}), unclear, unproven)


def _has_same_value(place: Span, sentence: str, new: str) -> bool:
    """Tells whether `new` is the value at `place` of the sentence in another form (1000 mg for 1 g)."""
    written, end = sentence[: place.start] + new + sentence[place.end :], place.start + len(new)
    one = [it for it in values(sentence) if it.bound_start <= place.start and place.end <= it.end]
    other = [it for it in values(written) if it.bound_start <= place.start and end <= it.end]
    return [compare(*it) for it in (*product(one, other), *product(other, one))] == ["equal", "equal"]


def _only_removes_words(edit: RawEdit, new: str) -> bool:
    """Tells whether an edit only removes words, and the source words `edit.by` are the words that remain."""
    kept = _WORD.findall(edit.new)
    return not _WORD.findall(new) and len(kept) > 1 and kept == _WORD.findall(edit.by)


def find_once(old: str, sentence: str) -> Span | None:
    """Returns the place of the words `old` in the sentence, or None if they do not occur exactly once."""
    if old and sentence.count(old) == 1:
        return Span(start := sentence.index(old), start + len(old))
    found = fold(sentence).find(old)
    return found[0] if len(found) == 1 else None


def _nearer_line_has_words(place: Span, sentence: str, cited: Sequence[SourceLine], lines: Lines) -> bool:
    """Tells whether a line has the words at `place`, and is nearer than `cited` to the sentence's rest."""
    old = place.of(sentence)
    had = [value for value in values(sentence) if value.span.overlaps(place)]
    around = _word_stems(sentence) - _word_stems(old)
    shared = max(len(around & _word_stems(line.text)) for line in cited)
    told = [it.text for it in lines.values()] if had or _word_stems(old) else []
    near = [text for text in told if len(around & _word_stems(text)) > shared]
    return any(all(has_value(it, value) for value in had) if had else fold(it).holds(old) for it in near)


def _line_confirms_edit(
    place: Span, sentence: str, new: str, added: Sequence[Value], by_place: Span, line: str
) -> bool:
    """Tells whether `line` has at `by_place` the values `added`, and a form of each other word of `new`."""
    # A value confirms only a value of its kind: 221 metres are no year, and "12 patients" is not "Stage 12".
    kinds = {value.kind for value in values(sentence) if value.span.overlaps(place)}
    name, by = _name_before(sentence, place), by_place.of(line)
    given = [it for it in values(line) if it.span.overlaps(by_place) and (not kinds or it.kind in kinds)]
    if name and not any(_name_before(line, it.span) == name for it in given):
        return False
    if not all(any(may_be_equal(value, it) for it in given) for value in added):
        return False
    had, words = ([it.casefold() for it in _WORD.findall(each)] for each in (place.of(sentence), new))
    shown = fold(" ".join((by, *(value.text for value in added)))).text
    stems = (it[: max(4, len(it) - 3)] for it in words if it not in had and it.isalpha())
    return bool(words) and all(stem in shown for stem in stems)  # without new words, nothing is confirmed


def _name_before(text: str, number: Span) -> str:
    """Returns the word before a number if the two form a name ("Stage" for "Stage 3"), or else ""."""
    pairs = ((it, item) for it, item in pairwise(items_of(text)) if item.value and item.is_name)
    near = (it.word for it, item in pairs if Span(it.end, item.end).overlaps(number))
    return next(near, "")


def _is_opposed(value: Value, lines: Sequence[SourceLine]) -> bool:
    """Tells whether the lines have the value only with the opposite bound ("up to 5" for "over 5")."""
    told = [it for line in lines for it in values(line.text) if may_be_equal(value, it)]
    likely, *others = (it._replace(readings=it.readings[:1]) for it in (value, *told))
    are_opposed = all(it.bound and compare(likely, it) == "different" for it in others)
    return bool(value.bound and others) and are_opposed


def _states_value(value: Value, lines: Sequence[SourceLine]) -> bool:
    return any(may_state(other, value) for line in lines for other in values(line.text))


@lru_cache(maxsize=2048)  # the same titles and the same text of the run are given again and again
def _word_stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:6] for word in _WORD.findall(text) if len(word) > 3 or word.isupper())
