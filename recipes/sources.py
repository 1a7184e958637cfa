"""The shared data as training examples. Only files of its `train/` folder are read here."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from rarr.backends.embedded.items import items_of
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.training.examples import Attribution, Class, Cloze, LabelledText, Maskable, Place, maskable, shared

Item = dict[str, Any]
ROOM = 900  # characters of a passage


def handwritten_cloze(items: Sequence[Item]) -> Iterator[Cloze]:
    """The values of each true text that its passage has, and those of unverifiable texts that it lacks."""
    for item in items:
        title, passage, text = item["title"] or "", item["evidence"], item["supported"]
        rights = [edit["right"] for edit in item["edits"]]
        errors = list(zip(right_places(item), rights, strict=True))
        if values := shared(text, title, passage, errors):
            yield Cloze(text=text, title=title, passage=passage, values=tuple(values.values()))
        other = item["extrapolatory"]
        if lacking := unsaid(other, passage, title):
            yield Cloze(text=other, title=title, passage=passage, values=lacking)


def handwritten_attribution(items: Sequence[Item]) -> Iterator[Attribution]:
    """The three texts of each item: true, with its errors, and unverifiable."""
    for item in items:
        wrong = tuple(wrong_places(item))
        versions = (
            LabelledText(text=item["supported"], label="attributable", wrong=()),
            LabelledText(text=item["corrupted"], label="contradictory", wrong=wrong),
            LabelledText(text=item["extrapolatory"], label="extrapolatory"),
        )
        yield Attribution(title=item["title"] or "", passage=item["evidence"], versions=versions)


def verifier(rows: Sequence[Item]) -> Iterator[Attribution]:
    """One text per row, with the window of its evidence that is closest to it."""
    for row in rows:
        label: Class | None = row["label3"] or ("not_supported" if row["supported"] is False else None)
        text = row["claim"] if row["source"] != "halueval_qa" else f"{row['question']} {row['claim']}"
        if label and row["evidence"] and text:
            title = row["evidence"][0].get("title")
            yield Attribution(
                title=title if isinstance(title, str) else "",
                passage=_closest_evidence(text, row),
                versions=(LabelledText(text=text, label=label),),
            )


def verifier_cloze(rows: Sequence[Item]) -> Iterator[Cloze]:
    """The values of attributable texts, masked where the evidence has them."""
    for row in rows:
        text = row["claim"]
        if row["label3"] == "attributable" and row["source"] != "halueval_qa" and row["evidence"]:
            passage = _closest_evidence(text, row)
            values = tuple(maskable(text, passage, "", unsaid=False))
            if values and len(text) < 400:
                yield Cloze(text=text, title="", passage=passage, values=values)


def elsewhere(
    items: Sequence[Item], brought: Sequence[Sequence[int]], *, cloze: bool
) -> Iterator[Attribution | Cloze]:
    """Claims with a passage that shares words but is about something else, so that it settles nothing.

    With `cloze`, the values that the passage lacks. Values that it has by chance are left out.
    """
    documents = [item.get("doc", item.get("article")) for item in items]
    for item, document, numbers in zip(items, documents, brought, strict=True):
        other = next((items[n] for n in numbers if documents[n] != document), None)
        if other is None:
            continue
        title, passage, text = other["title"] or "", other["evidence"], item["supported"]
        if not cloze:
            versions = (LabelledText(text=text, label="extrapolatory"),)
            yield Attribution(title=title, passage=passage, versions=versions)
        elif values := unsaid(text, passage, title):
            yield Cloze(text=text, title=title, passage=passage, values=values)


def unsaid(text: str, passage: str, title: str) -> tuple[Maskable, ...]:
    """The values of the text that the passage lacks."""
    return tuple(value for value in maskable(text, passage, title, unsaid=True) if not value.answers)


def _closest_evidence(text: str, row: Item) -> str:
    return closest_window(text, " ".join(evidence["text"] for evidence in row["evidence"]))


def wrong_places(item: Item) -> list[Place]:
    """The places of the errors in the corrupted text, in the order of its edits.

    A wrong word can occur more than once, or within another word: these are the places at which the edits
    give the supported text. Raises ValueError if there are none.
    """
    text, edits = item["corrupted"], item["edits"]
    starts_by_edit = [
        [match.start() for match in re.finditer(f"(?={re.escape(edit['wrong'])})", text)] for edit in edits
    ]
    for starts in product(*starts_by_edit):
        places = [(start, start + len(edit["wrong"])) for start, edit in zip(starts, edits, strict=True)]
        if _mended(text, places, edits) == item["supported"]:
            return places
    raise ValueError(f"item {item.get('id')}: its edits do not give the supported text")


def right_places(item: Item) -> list[Place]:
    """The places of the right words of the edits in the supported text, in the order of the edits."""
    placed = list(zip(wrong_places(item), item["edits"], strict=True))
    right_spans = []
    for (start, _), edit in placed:
        before = [other for (other_start, _), other in placed if other_start < start]
        start += sum(len(other["right"]) - len(other["wrong"]) for other in before)
        right_spans.append((start, start + len(edit["right"])))
    return right_spans


def closest_window(text: str, passage: str) -> str:
    """The run of whole sentences, of at most 900 characters, that has most words of the text."""
    if len(passage) <= ROOM:
        return passage
    wanted = {item.stem for item in items_of(text)}
    spans = split_sentences(passage)
    windows = (
        passage[first.start : max((it.end for it in spans if it.end <= first.start + ROOM), default=0)]
        for first in spans
    )
    return max(windows, key=lambda window: len(wanted & {it.stem for it in items_of(window)}))


def _mended(text: str, places: Sequence[Place], edits: Sequence[Item]) -> str:
    placed = zip(places, (edit["right"] for edit in edits), strict=True)
    for (start, end), right in sorted(placed, reverse=True):
        text = text[:start] + right + text[end:]
    return text
