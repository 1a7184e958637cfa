"""What noising makes of one query: a row of data, or the reason why there is none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from rarr.backends.prompted.noising import ErrorKind
from rarr.errors import InputError
from rarr.records import Evidence, Record
from rarr.tools.storage.line_files import whole_lines
from rarr.tools.text.nouns import counted

Reason = Literal["no_evidence", "no_summary", "unjudged", "unattributable", "no_error", "undetected"]
_BEGIN = b'{"query": '  # of every line
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
    """An error: `wrong` was put in the place of `right`, which stands at `start` of the summary."""

    start: int
    right: str
    wrong: str
    kind: ErrorKind

    @property
    def end(self) -> int:
        """Where `right` ends in the summary."""
        return self.start + len(self.right)


class SentenceScore(Record):
    """A sentence of the summary with the passage that supports it best.

    `support`, from 0 to 1, is that of the sentence, `corrupted` that of what the errors made of it, by
    whichever passage supports that best.
    """

    start: int
    end: int
    evidence_id: str
    support: float
    corrupted: float


class Row(Record):
    """One item. `relevant` is E+, `others` is E-, each with its source and its relevance, best first.

    `model` wrote summary and errors by the `prompts` of these hashes; `verifier` gave the scores.
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

    def line(self) -> bytes:
        """As a line of the data."""
        return _line(self)


class Dropped(Record):
    """A query without a row, with what was written until then."""

    query: str
    reason: Reason
    summary: str = ""
    corrupted: str = ""

    def line(self) -> bytes:
        """As a line of its file."""
        return _line(self)


def dropped_beside(data: Path) -> Path:
    """Where the queries without a row are: data.dropped.jsonl beside data.jsonl."""
    return data.with_name(f"{data.stem}.dropped{data.suffix}")


def rows(data: Path) -> Iterator[Row]:
    """The rows of a file, without a last line that was cut; none where it is missing.

    Raises `InputError` for a line that is none.
    """
    yield from _records(data, Row)


def enough(data: Path) -> list[Row]:
    """The rows of a file, to learn from. Raises `InputError` where it is missing or has fewer than two."""
    if not data.exists():
        raise InputError(f"{data} is not there: give a file that rarr train data wrote")
    found = list(rows(data))
    if len(found) < 2:
        raise InputError(
            f"{data} has {counted(len(found), 'row')}, and one is held out: make at least 2, better hundreds"
        )
    return found


def dropped(data: Path) -> Iterator[Dropped]:
    """The queries that have no row in `data`, likewise."""
    yield from _records(dropped_beside(data), Dropped)


def mend(data: Path) -> None:
    """Takes last lines that were cut out of both files. Raises `InputError` where other lines are in them."""
    for path, records in ((data, rows(data)), (dropped_beside(data), dropped(data))):
        for _ in records:
            pass
        for _ in whole_lines(path):
            pass


def corrupted(summary: str, edits: tuple[Mistake, ...]) -> str:
    """The summary with its errors, which are in order and apart."""
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


def _line(record: Record) -> bytes:
    return json.dumps(record.model_dump(mode="json"), ensure_ascii=False).encode() + b"\n"
