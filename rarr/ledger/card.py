"""Looks up the words of a card, compares its values, and tells which cards are to be asked again.

The reading decides whether a passage says what a sentence says. Code decides what can be decided without
reading: whether the cited lines exist, whether copied words stand there, whether a value is the same.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from rarr.backends.embedded.items import lines_of
from rarr.backends.embedded.near_quotes import card_of
from rarr.backends.embedded.values import Value, compare, same, states, values
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.records import Evidence
from rarr.records.card import Card, CardEdit, Place, Quote, Side
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import difference, fold

Lines = Mapping[str, SourceLine]
"""The lines of the excerpts of a request by their labels."""

NOT_QUOTED = "it cites no line of a source"
_WORD = re.compile(r"\w+")
_SHORTEST_STEM = 4


class Located(NamedTuple):
    """A card whose words were looked up.

    `unclear` are reasons to ask the reader again; `unproven` are reasons that no second answer can remove.
    """

    card: Card
    unclear: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()


def located(raw: RawCard, text: str, place: Span, lines: Lines) -> Located:
    """Looks up labels and words of a card for the sentence at `place` of `text`.

    A card without a quote decides nothing; neither does `none` for a sentence with a number. A sentence with
    open words is never supported. An edit whose `by` does not stand in the quoted lines, or whose number no
    quoted line has, is unproven.
    """
    sentence = place.of(text)
    cited, against = (
        [lines[label] for label in dict.fromkeys(labels) if label in lines]
        for labels in (raw.quotes, raw.against)
    )
    verdict, numbers = raw.verdict, _numbers(sentence)
    if verdict == "none" and not numbers:
        return Located(Card(start=place.start, end=place.end, verdict="none"))
    if verdict == "mixed" and not (cited and against):
        verdict, cited, against = "open", [*cited, *against], []
    is_bare = verdict in ("yes", "no") and not cited
    against = [] if is_bare else against
    if is_bare or verdict == "none" or (verdict == "yes" and (raw.open or raw.edits or against)):
        verdict = "open"  # it decides nothing, or contradicts itself
    spans = [(fold(sentence).find(it) or [Span(0, len(sentence))])[0] for it in raw.open if it.strip()]
    if is_bare or raw.verdict == "none" or (verdict == "open" and not spans):
        spans = [Span(0, len(sentence))]
    own_side: Side = "against" if verdict == "no" else "for"
    card = Card(
        start=place.start,
        end=place.end,
        verdict=verdict,
        quotes=tuple(
            Quote(evidence_id=it.evidence_id, start=it.start, end=it.end, text=it.text, side=side)
            for side, it in [*((own_side, it) for it in cited), *(("against", it) for it in against)]
        ),
        open=tuple(
            Place(start=place.start + start, end=place.start + end) for start, end in dict.fromkeys(spans)
        ),
        reason=NOT_QUOTED if is_bare else "",
    )
    if verdict == "open":
        return Located(card)
    missing = [value.text for value in numbers if verdict != "no" and not _stated(value, cited)]
    unclear = ("no quoted line has " + ", ".join(f"“{words}”" for words in missing),) if missing else ()
    if verdict == "yes":
        return Located(card, unclear)
    with_edits = _with_edits(card, raw, sentence, cited if verdict == "no" else against, lines)
    before, after = (re.findall(r"[\w.,]*\w", it) for it in (sentence, edited(text, with_edits.card)))
    if before != after and sorted(before) == sorted(after):
        unclear = (*unclear, "its edits only exchange words, so no value confirms them")
    return with_edits._replace(unclear=(*unclear, *with_edits.unclear))


def is_about_another(card: Card, kept: Sequence[Evidence], run_text: str) -> bool:
    """Does no title of a quoted source share a word with the run, while another kept source's title does?

    `kept` are the passages kept for the sentence and the quoted ones; `run_text` is the text with its
    context. A title that is the name of a file says nothing.
    """
    words, ids = _words(run_text), card.cited
    files = [PurePath(it.source.replace("\\", "/").casefold()) for it in kept]
    pairs = zip(kept, files, strict=True)
    named = [it for it, file in pairs if it.title.casefold() not in (file.name, file.stem)]
    shared = [(it.id in ids, bool(_words(it.title) & words)) for it in named]
    quoted = [is_shared for is_quoted, is_shared in shared if is_quoted]
    return bool(quoted) and not any(quoted) and any(is_shared for _, is_shared in shared)


def against_near_quotes(card: Card, text: str, kept: Sequence[Evidence]) -> list[str]:
    """Returns the doubts about a reading that the comparison of near quotations contradicts."""
    sentence = text[card.start : card.end]
    if card.verdict == "no" and any(fold(it.text).holds(sentence) for it in kept):
        return ["a passage has the sentence word for word"]
    quoted = [SourceLine("", it.text, it.evidence_id, it.start, it.end) for it in card.quotes]
    near = card_of(sentence, text[: card.start], lines_of(Excerpt("", "", "", tuple(quoted))))
    differs = card.verdict == "yes" and near.verdict == "no"
    return ["a quoted line nearly repeats it, and differs"] if differs else []


def edited(text: str, card: Card) -> str:
    """Returns the sentence of a card as it stands after its edits."""
    sentence, start = text[card.start : card.end], card.start
    for edit in sorted(card.edits, key=lambda edit: edit.start, reverse=True):
        sentence = sentence[: edit.start - start] + edit.new + sentence[edit.end - start :]
    return sentence


def _with_edits(
    card: Card, raw: RawCard, sentence: str, cited: Sequence[SourceLine], lines: Lines
) -> Located:
    edits: list[CardEdit] = []
    unclear: list[str] = []
    unproven: list[str] = []
    for edit in raw.edits:
        span = _place(edit.old, sentence)
        if span is None:
            unproven.append(f"“{edit.old}” must stand exactly once in the sentence")
            continue
        span, new = difference(span, sentence, edit.new)
        if span.of(sentence) == new:
            continue
        having = ((line, fold(line.text).find(edit.by)) for line in cited)
        found = ((line, places[0].of(line.text)) for line, places in having if places)
        source, by = next(found, (cited[0], ""))
        confirmed = False
        if not by:
            unproven.append(f"the cited lines do not have the words “{edit.by}”")
        written = sentence[: span.start] + new + sentence[span.end :]
        place = Span(span.start, span.start + len(new))
        added = [it for it in values(written) if it.span.overlaps(place) and not states(sentence, it)]
        missing = [value for value in added if not _stated(value, cited)]
        if missing:
            why = f"no quoted line has “{missing[0].span.of(written)}”"
            # The number alone may stand there, of this thing or of another.
            (unclear if all(_stated(value, cited) for value in values(new)) else unproven).append(why)
        elif by:
            confirmed = _is_confirmed(span, sentence, new, by, added) or (
                # Words are only taken away, and the line has those before and behind them side by side.
                not _WORD.findall(new)
                and len(kept := _WORD.findall(edit.new)) > 1
                and kept == _WORD.findall(edit.by)
            )
            unclear += [] if confirmed else [f"“{by}” does not show “{new}” in these words"]
            if _is_said_nearer(span, sentence, cited, lines):
                unclear.append(f"another line, closer to this sentence, has “{span.of(sentence)}”")
        start, end = card.start + span.start, card.start + span.end
        name = source.evidence_id
        edits.append(CardEdit(start=start, end=end, new=new, by=by, evidence_id=name, confirmed=confirmed))
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    if any(second.start < first.end for first, second in pairwise(ordered)):
        unproven.append("its edits overlap")
        ordered = []
    elif raw.edits and not (edits or unproven):
        unproven.append("its edits change nothing")
    return Located(card.model_copy(update={"edits": tuple(ordered)}), tuple(unclear), tuple(unproven))


def _place(old: str, sentence: str) -> Span | None:
    """Finds the words exactly, or else folded; None unless they stand once in the sentence."""
    if old and sentence.count(old) == 1:
        start = sentence.index(old)
        return Span(start, start + len(old))
    found = fold(sentence).find(old)
    return found[0] if len(found) == 1 else None


def _is_said_nearer(place: Span, sentence: str, cited: Sequence[SourceLine], lines: Lines) -> bool:
    """Does a line have the words at `place`, and more of the words around them than each cited line?"""
    old = place.of(sentence)
    had = [value for value in values(sentence) if value.span.overlaps(place)]
    around = _words(sentence) - _words(old)
    shared = max(len(around & _words(line.text)) for line in cited)
    told = [it.text for it in lines.values()] if had or _words(old) else []
    near = [text for text in told if len(around & _words(text)) > shared]
    return any(all(states(it, value) for value in had) if had else fold(it).holds(old) for it in near)


def _is_confirmed(place: Span, sentence: str, new: str, by: str, added: Sequence[Value]) -> bool:
    """Do the words `by` show what is new in `new`: the values `added`, and its words in any inflection?

    A value shows no value of another kind: 221 metres are no year.
    """
    kinds = {value.kind for value in values(sentence) if value.span.overlaps(place)}
    given = [it for it in values(by) if not kinds or it.kind in kinds]
    if not all(any(same(value, it) for it in given) for value in added):
        return False
    had = {word.casefold() for word in _WORD.findall(place.of(sentence))}
    shown = fold(by).text
    for word in _WORD.findall(new):
        plain = word.casefold()
        if plain in had or any(character.isdigit() for character in plain):
            continue
        if plain[: max(_SHORTEST_STEM, len(plain) - 3)] not in shown:
            return False
    # Words that are only taken away show no value that could be compared.
    return bool(_WORD.findall(new))


def _numbers(sentence: str) -> list[Value]:
    """Finds the values of a sentence that a source must state: no number words such as "one" or "first"."""
    return [it for it in values(sentence) if not (it.is_word and it.amounts and it.amounts[0].amount <= 2)]


def _stated(value: Value, lines: Sequence[SourceLine]) -> bool:
    """Does a line state the value, without a bound that excludes it?"""
    others = (other for line in lines for other in values(line.text))
    return any(same(value, other) and compare(value, other) != "different" for other in others)


@lru_cache(maxsize=256)  # titles, and the text of the run
def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:6] for word in _WORD.findall(text) if len(word) > 3 or word.isupper())
