"""Wrong words that could be taken for the right ones, to tell a claim from its versions with an error.

What people put wrong in the hand-written claims, wherever the same word stands, and the places of the passage
that the encoder which ships takes next to the right one (negatives mined by the model: Xiong et al. 2021).
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rarr.encoder.inputs import Masked
from rarr.encoder.model import Asked, Encoder
from rarr.tools.document import Span
from rarr.training.examples import Cloze, Value
from training.sources import Item, handwritten_cloze

ASKED = 4  # values of a text by either way
TAKEN = 3  # wrong ones of a value
RANKED = 12  # spans that are looked at for them
LONGEST = 40  # characters of a wrong value
DIGITS = frozenset({"date", "number"})
SEED = 11


def confused(items: Sequence[Item], encoder: Encoder) -> Iterator[Cloze]:
    """Each true text with some of its values, whose `others` would be wrong there."""
    words = wrong_words(items)
    for example in handwritten_cloze(items):
        if example.source != "handwritten":
            continue
        rng = random.Random(f"{SEED} {example.text}")
        put = [(value, words.get(_said(example, value).casefold(), [])) for value in example.values]
        values = [value.model_copy(update={"others": (*others[:TAKEN],)}) for value, others in put if others]
        values = rng.sample(values, min(ASKED, len(values)))
        # In place of other words the passage has words that make no sentence.
        read = [value for value in example.values if value.kind != "word"]
        values += _misread(example, rng.sample(read, min(ASKED, len(read))), encoder)
        if values:
            yield example.model_copy(update={"values": tuple(values)})


def wrong_words(items: Sequence[Item]) -> Mapping[str, Sequence[str]]:
    """Of each word that stood in the place of an error, right or wrong, what else stood there."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        for edit in item["edits"]:
            found[edit["right"].casefold()][edit["wrong"]] = None
            found[edit["wrong"].casefold()][edit["right"]] = None
    return {word: list(others) for word, others in found.items()}


def pointed_wrongly(example: Cloze, value: Value, spans: Sequence[Span]) -> list[str]:
    """What the passage has at the spans, each apart from the others, that is another thing than the value."""
    known = [Span(*answer) for answer in value.answers]
    right = {_said(example, value).casefold(), *(span.of(example.passage).casefold() for span in known)}
    found: list[str] = []
    for span in spans:
        said = span.of(example.passage).strip()
        if any(span.overlaps(one) for one in known) or any(
            one in said.casefold() or said.casefold() in one for one in right
        ):
            continue
        if not said or len(said) > LONGEST or any(mark in said for mark in "\n.,;("):
            continue
        if not (any(map(str.isdigit, said)) if value.kind in DIGITS else said[:1].isupper()):
            continue
        found.append(said)
        known.append(span)
    return found


def _misread(example: Cloze, values: Sequence[Value], encoder: Encoder) -> Iterator[Value]:
    asked = [
        Asked(example.text, example.title, example.passage, Masked(Span(*value.place), value.kind))
        for value in values
    ]
    for value, pointed in zip(values, encoder.point(asked), strict=True):
        others = pointed_wrongly(example, value, [span for span, _ in pointed.ranked(RANKED)])
        if others:
            yield value.model_copy(update={"others": tuple(others[:TAKEN])})


def _said(example: Cloze, value: Value) -> str:
    return example.text[slice(*value.place)]
