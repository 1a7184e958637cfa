"""Reads labelled pairs: claims with evidence, and texts with a revision. Splits them into two halves."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from rarr.backends.prompted.intent_preservation import intent_variables
from rarr.backends.prompted.model_calibration import Judgement
from rarr.backends.prompted.prompt_text_selection import NOTHING
from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError, json_lines

SHIPPED = Path(__file__).parent / "judge_pairs"
FEWEST = 10
"""The fewest pairs of each label in each half."""
Half = Literal["fit", "measure"]
_SHAPES = (
    '{"claim", "evidence", "supported": true or false} or {"text", "revision", "preserved": true or false}'
)


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    half: Half | None = None


class _SupportRow(_Row):
    claim: str
    evidence: str
    supported: bool


class _IntentRow(_Row):
    text: str
    revision: str
    preserved: bool
    context: str | None = None


class LabelledPair(NamedTuple):
    """A pair with the right answer (`label`), and the variables of the prompt that asks about it.

    Pairs of one `group` have the same evidence or text, and come into the same half.
    """

    judgement: Judgement
    variables: dict[str, str]
    label: bool
    group: str
    half: Half | None


class Halves(NamedTuple):
    """The pairs of one judgement: those to fit on, and those that are only measured on."""

    fit: list[LabelledPair]
    measure: list[LabelledPair]


def read_pairs(path: Path | None) -> list[LabelledPair]:
    """Reads the pairs of a file of JSON lines; None: the pairs that ship. Other keys are not read.

    Raises `InputError` for a file that cannot be read, and for the first line that is no pair.
    """
    files = sorted(SHIPPED.glob("*.jsonl")) if path is None else [path]
    return [pair for file in files for pair in _pairs(file)]


def halves(pairs: Sequence[LabelledPair]) -> dict[Judgement, Halves]:
    """Splits the pairs of each judgement into halves: by their "half", or else by evidence.

    Raises `InputError`, which names the cure, if a half has too few pairs of a label.
    """
    split: dict[Judgement, Halves] = {}
    for judgement in dict.fromkeys(pair.judgement for pair in pairs):
        own = [pair for pair in pairs if pair.judgement == judgement]
        measured = _measured_groups(own)
        parts = Halves(
            [pair for pair in own if not _is_measured(pair, measured)],
            [pair for pair in own if _is_measured(pair, measured)],
        )
        _require_enough(judgement, own, parts)
        split[judgement] = parts
    return split


def _is_measured(pair: LabelledPair, measured: set[str]) -> bool:
    return pair.half == "measure" or (pair.half is None and pair.group in measured)


def _measured_groups(pairs: Sequence[LabelledPair]) -> set[str]:
    """Chooses every second group, in an order that does not depend on the order of the lines."""
    groups = {pair.group for pair in pairs}
    return set(sorted(groups, key=lambda group: hashlib.sha256(group.encode()).digest())[1::2])


def _require_enough(judgement: Judgement, pairs: Sequence[LabelledPair], parts: Halves) -> None:
    counts = [sum(pair.label is label for pair in half) for half in parts for label in (True, False)]
    if min(counts) < FEWEST:
        yes = sum(pair.label for pair in pairs)
        raise InputError(
            f"too few pairs about {judgement} ({yes} true, {len(pairs) - yes} false): each half needs"
            f" {FEWEST} of both, so give at least {4 * FEWEST} pairs with different evidence"
        )


def _pairs(file: Path) -> Iterator[LabelledPair]:
    found = False
    for line in json_lines(file):
        found = True
        try:
            pair = _pair(line.value())
        except (WrongRowError, ValidationError) as error:
            wrong = error.errors()[0] if isinstance(error, ValidationError) else None
            why = f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}" if wrong else str(error)
            raise InputError(
                f"line {line.number} of {file} is no labelled pair ({why}): give {_SHAPES}"
            ) from None
        yield pair
    if not found:
        raise InputError(f"{file} is empty: give a line such as {_SHAPES} for each pair")


def _pair(row: dict[str, Any]) -> LabelledPair:
    if "claim" in row:
        support = _SupportRow.model_validate(row)
        # One sentence alone: nothing stands before it.
        variables = {"before": NOTHING, "text": support.claim, "evidence": support.evidence}
        return LabelledPair("support", variables, support.supported, support.evidence, support.half)
    intent = _IntentRow.model_validate(row)
    variables = intent_variables(intent.text, intent.revision, intent.context)
    return LabelledPair("intent", variables, intent.preserved, intent.text, intent.half)
