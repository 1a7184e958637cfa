"""Declares the rows of noising, and reads files of them and of queries."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from rarr.backends.prompted.noising import KINDS, ErrorKind, PlantedError
from rarr.errors import InputError
from rarr.records import Evidence, Record
from rarr.tools.storage.files import whole_lines
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import counted
from rarr.valid_unicode import valid

Reason = Literal["no_evidence", "no_summary", "unjudged", "unattributable", "no_error", "undetected"]
_BEGIN = b'{"query": '  # the start of every line
HELD_OUT = 0.25  # share of the rows that nothing learns from
KINDS_AT_ONCE = 3  # kinds of errors in one question
Shape = TypeVar("Shape", bound=Record)
REASONS: dict[Reason, str] = {
    "no_evidence": "no passage is relevant enough",
    "no_summary": "the evidence does not answer it",
    "unjudged": "the verifier could not judge a sentence",
    "unattributable": "a sentence is not supported by one passage",
    "no_error": "no error fits the summary",
    "undetected": "an error leaves its sentence as well supported",
}


class Mistake(Record):
    """An error: `wrong` replaced `right`, which stands at `start` of the summary."""

    start: int
    right: str
    wrong: str
    kind: ErrorKind

    @property
    def end(self) -> int:
        """Returns where `right` ends in the summary."""
        return self.start + len(self.right)


class SentenceScore(Record):
    """A sentence of the summary with the passage that supports it best.

    `support`, from 0 to 1, is the support of the sentence. `corrupted` is the support of its version with
    errors by the passage that supports that version best.
    """

    start: int
    end: int
    evidence_id: str
    support: float
    corrupted: float


class _Line(Record):
    def line(self) -> bytes:
        """Returns the record as a JSON line of its file."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False).encode() + b"\n"


class TrainingRow(_Line):
    """The row of one query. `relevant` is E+, `others` is E-, with sources and relevances, best first.

    `model` wrote summary and errors with the `prompts` of these hashes; `verifier` gave the scores.
    """

    query: str
    summary: str
    corrupted: str
    edits: tuple[Mistake, ...]
    relevant: tuple[Evidence, ...]
    others: tuple[Evidence, ...]
    scores: tuple[SentenceScore, ...]
    model: str
    verifier: str
    prompts: dict[str, str]


class Dropped(_Line):
    """A query for which no row was made, the reason, and the texts that were written before."""

    query: str
    reason: Reason
    summary: str = ""
    corrupted: str = ""


def dropped_beside(data: Path) -> Path:
    """Returns the path of the file of dropped queries: data.dropped.jsonl beside data.jsonl."""
    return data.with_name(f"{data.stem}.dropped{data.suffix}")


def rows(data: Path) -> Iterator[TrainingRow]:
    """Yields the rows of a file, without an incomplete last line; none if the file is missing.

    Raises `InputError` for a line that is not a row.
    """
    yield from _records(data, TrainingRow)


def enough(data: Path) -> list[TrainingRow]:
    """Reads the rows of a file. Raises `InputError` if it is missing or has fewer than two rows."""
    if not data.exists():
        raise InputError(f"{data} does not exist: give a file that rarr train data wrote")
    all_rows = list(rows(data))
    if len(all_rows) < 2:
        raise InputError(f"{data} has {counted(len(all_rows), 'row')}, and one is held out: make at least 2")
    return all_rows


def dropped(data: Path) -> Iterator[Dropped]:
    """Yields the dropped queries of `data`, from the file beside it; see `rows`."""
    yield from _records(dropped_beside(data), Dropped)


def mend(data: Path) -> None:
    """Removes incomplete last lines from both files. Raises `InputError` if they hold other lines."""
    for path, records in ((data, rows(data)), (dropped_beside(data), dropped(data))):
        for _ in records:
            pass
        for _ in whole_lines(path):
            pass


def groups(given: Sequence[TrainingRow]) -> list[str]:
    """Names the document of each row: the source of the passage that supports its first sentence.

    If all rows are about one document, returns the queries of the rows instead.
    """
    documents = [_document(row) for row in given]
    return documents if len(set(documents)) > 1 else [row.query for row in given]


def split_rows(given: Sequence[TrainingRow], seed: int) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """Splits rows: those to learn from, and about a quarter to fit the threshold and to measure with.

    No document is in both, unless one document has more than half of the rows: then no query is.
    """
    by_row = groups(given)
    if max(Counter(by_row).values()) > len(given) / 2:
        by_row = [row.query for row in given]
    order = sorted(set(by_row))
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    while sum(group in held for group in by_row) < max(1, int(len(given) * HELD_OUT)):
        held.add(order.pop())
    pairs = list(zip(given, by_row, strict=True))
    return [row for row, group in pairs if group not in held], [row for row, group in pairs if group in held]


def _document(row: TrainingRow) -> str:
    best = row.scores[0].evidence_id
    return next(passage.source for passage in row.relevant if passage.id == best)


def corrupted(summary: str, edits: tuple[Mistake, ...]) -> str:
    """Puts the errors `edits`, which are in order and do not overlap, into the summary."""
    for edit in reversed(edits):
        summary = summary[: edit.start] + edit.wrong + summary[edit.end :]
    return summary


def _records(path: Path, shape: type[Shape]) -> Iterator[Shape]:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): give a file of JSON lines") from None
    with file:
        for number, line in enumerate(file, start=1):
            try:
                yield shape.model_validate_json(line)
            except ValidationError:
                if line.endswith(b"\n") or line[: len(_BEGIN)] != _BEGIN[: len(line)]:
                    raise InputError(
                        f"{path}, line {number}, is not of rarr train data: delete it, or give another file"
                    ) from None


def read_seeds(path: Path) -> list[str]:
    """Reads a query a line, each once, in order, without blank lines.

    Raises `InputError` for a file that is not UTF-8 and for a file without a query.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): give a file of queries") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte 0x{error.object[error.start]:02x} at offset {error.start}):"
            " convert it, as with iconv -f LATIN1 -t UTF-8"
        ) from None
    queries = dict.fromkeys(" ".join(line.split()) for line in valid(text).splitlines() if line.strip())
    if not queries:
        raise InputError(f"{path} has no query: give one a line")
    return list(queries)


def kinds_for(query: str) -> tuple[ErrorKind, ...]:
    """Picks the three kinds of error to plant for a query, by a hash of it.

    A model that may choose takes mostly dates and numbers.
    """
    digest = hashlib.sha256(query.encode()).digest()
    order = sorted(KINDS, key=lambda kind: hashlib.sha256(digest + kind.encode()).digest())
    return tuple(order[:KINDS_AT_ONCE])


def fitting(text: str, spans: Sequence[Span], errors: Sequence[PlantedError]) -> tuple[Mistake, ...]:
    """Selects errors whose right words stand once in `text`, as whole words, in a sentence of `spans`.

    Of errors that overlap, only the first is taken. The result is sorted by place.
    """
    kept: list[Mistake] = []
    for error in errors:
        right, wrong = error.right.strip(), " ".join(error.wrong.split())
        if not right or not wrong or right.casefold() == wrong.casefold() or text.count(right) != 1:
            continue
        mistake = Mistake(start=text.index(right), right=right, wrong=wrong, kind=error.kind)
        within = any(span.start <= mistake.start and mistake.end <= span.end for span in spans)
        apart = all(mistake.end <= other.start or other.end <= mistake.start for other in kept)
        if within and apart and _whole(text, mistake.start, mistake.end):
            kept.append(mistake)
    return tuple(sorted(kept, key=lambda mistake: mistake.start))


def _whole(text: str, start: int, end: int) -> bool:
    """True if no word or number continues at its ends. "3" is whole neither in "1937" nor in "3.5"."""
    before, after = text[:start][-1:], text[end:][:1]
    number = text[end:][:2]
    return not (
        (before.isalnum() and text[start].isalnum())
        or (after.isalnum() and text[end - 1].isalnum())
        or (text[end - 1].isdigit() and number[:1] in (".", ",") and number[1:].isdigit())
    )
