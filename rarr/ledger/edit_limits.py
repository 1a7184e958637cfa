"""Checks the limits of an edit: how much it may change, and where (Gao et al. 2023, section 3.3)."""

import re

from rapidfuzz.distance import Levenshtein

from rarr.records import Change
from rarr.settings import Settings
from rarr.tools.text.blocks_and_sentences import Span, blocks, protected, sentences, table_cells
from rarr.tools.text.plurals_and_articles import counted


def sentence_of(text: str, change: Change, *, across: bool = False) -> Span | None:
    """Finds the sentence that a change lies in; None for a change outside of sentences, or across several.

    With `across`, a change may go over the ends of sentences of prose: the place of all of them.
    """
    around = next((s for s in sentences(text) if s.start <= change.start <= change.end <= s.end), None)
    if around is not None or not across:
        return around
    touched = [s for s in sentences(text) if s.start <= change.end and change.start <= s.end]
    place = Span(touched[0].start, touched[-1].end) if touched else Span(0, 0)
    is_prose = all(b.kind == "prose" for b in blocks(text) if place.overlaps(Span(b.start, b.end)))
    return place if is_prose and place.start <= change.start and change.end <= place.end else None


def out_of_bounds(text: str, sentence: Span | None, change: Change, settings: Settings) -> str:
    """Returns the reason to refuse a change: it exceeds the settings or touches protected text.

    Also: it lies in no sentence, adds markup, or deletes the sentence. Empty if there is no reason.
    """
    place = Span(change.start, change.end)
    if sentence is None:
        return "the change does not lie within one sentence"
    if reason := protection(text, sentence, change):
        return reason
    changed = Levenshtein.distance(place.of(text), change.new)
    if changed > settings.max_edit_chars:
        limit = settings.max_edit_chars
        return f"it changes {counted(changed, 'character')}, over max_edit_chars ({limit})"
    in_cell = sentence in table_cells(text)
    whole, name = _lines(text, sentence) if in_cell else sentence, "sentence"
    if settings.scope == "text":  # the share of the text (Gao et al. 2023, section 3.3)
        whole, name = Span(0, len(text)), "text"
    if changed > settings.max_edit_share * (whole.end - whole.start):
        return f"it changes more than max_edit_share ({settings.max_edit_share}) of the {name}"
    return ""


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
    # U+FFFD replaces a character that was broken in the input.
    if any((not char.isprintable() or char == "\ufffd") and char not in old for char in change.new):
        return True
    revised = text[: change.start] + change.new + text[change.end :]
    after = protected(revised, sentence.start, sentence.end + len(change.new) - len(old))
    return len(after) > len(protected(text, *sentence))


def _lines(text: str, sentence: Span) -> Span:
    """Returns the whole lines of a sentence, because links and code may go beyond it, but beyond no line."""
    end = text.find("\n", sentence.end)
    return Span(text.rfind("\n", 0, sentence.start) + 1, len(text) if end < 0 else end)
