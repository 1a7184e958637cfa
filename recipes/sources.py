"""The shared data as training examples. Only files of its `train/` folder are read here."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from rarr.backends.embedded.items import items_of
from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.training.examples import (
    Attribution,
    Class,
    Cloze,
    LabelledText,
    Place,
    maskable,
    shared,
)  # fmt: skip

Item = dict[str, Any]
ROOM = 900  # characters of a passage


def handwritten_cloze(items: Sequence[Item]) -> Iterator[Cloze]:
    """The values of each true text that its passage has, and those of unverifiable texts that it lacks."""
    for item in items:
        title = item["title"] or ""
        errors = [
            (place, edit["right"]) for place, edit in zip(right_places(item), item["edits"], strict=True)
        ]
        if values := shared(item["supported"], title, item["evidence"], errors):
            yield Cloze(
                text=item["supported"],
                title=title,
                passage=item["evidence"],
                values=tuple(values.values()),
            )
        unsaid = tuple(
            value
            for value in maskable(item["extrapolatory"], item["evidence"], title, unsaid=True)
            if not value.answers
        )
        if unsaid:
            yield Cloze(
                text=item["extrapolatory"],
                title=title,
                passage=item["evidence"],
                values=unsaid,
            )


def handwritten_attribution(items: Sequence[Item]) -> Iterator[Attribution]:
    """The three texts of each item: true, with its errors, and unverifiable."""
    for item in items:
        yield Attribution(
            title=item["title"] or "",
            passage=item["evidence"],
            versions=(
                LabelledText(text=item["supported"], label="attributable", wrong=()),
                LabelledText(
                    text=item["corrupted"],
                    label="contradictory",
                    wrong=tuple(wrong_places(item)),
                ),
                LabelledText(text=item["extrapolatory"], label="extrapolatory"),
            ),
        )


def verifier(rows: Sequence[Item]) -> Iterator[Attribution]:
    """One text per row, with the window of its evidence that is closest to it."""
    for row in rows:
        label: Class | None = row["label3"] or ("not_supported" if row["supported"] is False else None)
        text = row["claim"] if row["source"] != "halueval_qa" else f"{row['question']} {row['claim']}"
        if label is None or not row["evidence"] or not text:
            continue
        title = row["evidence"][0].get("title") or ""
        passage = closest_window(text, " ".join(evidence["text"] for evidence in row["evidence"]))
        yield Attribution(
            title=title if isinstance(title, str) else "",
            passage=passage,
            versions=(LabelledText(text=text, label=label),),
        )


def verifier_cloze(rows: Sequence[Item]) -> Iterator[Cloze]:
    """The values of attributable texts, masked where the evidence has them."""
    for row in rows:
        if row["label3"] != "attributable" or row["source"] == "halueval_qa" or not row["evidence"]:
            continue
        passage = closest_window(row["claim"], " ".join(evidence["text"] for evidence in row["evidence"]))
        values = tuple(maskable(row["claim"], passage, "", unsaid=False))
        if values and len(row["claim"]) < 400:
            yield Cloze(text=row["claim"], title="", passage=passage, values=values)


def elsewhere(
    items: Sequence[Item], brought: Sequence[Sequence[int]], *, cloze: bool
) -> Iterator[Attribution | Cloze]:
    """Claims with a passage that shares words but is about something else, so that it settles nothing.

    With `cloze`, the values that the passage lacks. Values that it has by chance are left out.
    """
    for item, numbers in zip(items, brought, strict=True):
        document = item.get("doc", item.get("article"))
        other = next(
            (items[n] for n in numbers if items[n].get("doc", items[n].get("article")) != document), None
        )
        if other is None:
            continue
        title, passage = other["title"] or "", other["evidence"]
        text = item["supported"]
        if not cloze:
            versions = (LabelledText(text=text, label="extrapolatory"),)
            yield Attribution(title=title, passage=passage, versions=versions)
            continue
        values = tuple(value for value in maskable(text, passage, title, unsaid=True) if not value.answers)
        if values:
            yield Cloze(text=text, title=title, passage=passage, values=values)


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
    places, edits = wrong_places(item), item["edits"]
    right_spans = []
    for (start, _), edit in zip(places, edits, strict=True):
        before = [placed_edit for placed_edit in zip(places, edits, strict=True) if placed_edit[0][0] < start]
        shift = sum(len(other["right"]) - len(other["wrong"]) for _, other in before)
        right_spans.append((start + shift, start + shift + len(edit["right"])))
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
    for (start, end), edit in sorted(
        zip(places, edits, strict=True), key=lambda placed_edit: placed_edit[0], reverse=True
    ):
        text = text[:start] + edit["right"] + text[end:]
    return text
