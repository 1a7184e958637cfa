"""Works on many texts at once, and gives each its own result or error."""

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from rarr.errors import InputError, RarrError
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given
from rarr.tools.concurrency import bounded_flow
from rarr.tools.text.wording import kind_of

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser


class BatchRow(NamedTuple):
    """One text of a batch: an answer, what it answers, and passages of its own, which are searched first."""

    text: str
    context: str | None = None
    sources: Sequence[Given] | None = None
    id: str = ""


BatchItem = str | BatchRow | Mapping[str, object]
"""A text, a row, or a mapping with the fields of a row; its other keys are not read."""
BatchItems = Iterable[BatchItem] | AsyncIterable[BatchItem]


class BatchResult(NamedTuple):
    """The result of a row. If it failed, `error` says why, and `result` is None or has the untouched text.

    `number` counts the rows from 1.
    """

    row: BatchRow
    number: int
    result: Postprocessed | None
    error: str = ""


def batch(
    reviser: "Reviser",
    rows: BatchItems,
    *,
    mode: PostprocessMode = "revise",
    search: Literal["given"] | None = None,
    at_once: int = 8,
    ordered: bool = False,
) -> AsyncGenerator[BatchResult, None]:
    """Postprocesses many texts, `at_once` at the same time, and yields each result as it finishes.

    `mode` and `search` are those of `rarr.postprocess`: search="given" searches only a row's own passages.
    With `ordered`, results come in the order of the rows. No further row is read while the caller does not
    take results. A row that fails has an `error`, and stops no other.
    """

    if not isinstance(at_once, int) or at_once < 1:
        raise InputError(f"at_once is {at_once!r}: give the number of texts at the same time, at least 1")

    def postprocessed(row: BatchRow) -> Awaitable[Postprocessed]:
        return reviser.apostprocess(row.text, row.context, row.sources, mode=mode, search=search)

    async def result(item: BatchItem, number: int) -> BatchResult:
        try:
            row = row_of(item)
        except InputError as error:
            return BatchResult(BatchRow(""), number, None, str(error))
        return await batch_result(row, number, postprocessed)

    return bounded_flow(rows, result, at_once, ordered=ordered)


async def batch_result(
    row: BatchRow, number: int, postprocess: Callable[[BatchRow], Awaitable[Postprocessed]]
) -> BatchResult:
    """Postprocesses one row. A failure is the error of the result; only a defect of the program is raised."""
    try:
        done = await postprocess(row)
    except RarrError as error:
        return BatchResult(row, number, None, str(error))
    return BatchResult(row, number, done, done.notice if done.outcome in ("failed", "deadline") else "")


def row_of(item: object) -> BatchRow:
    """Makes a row of an item. Raises `InputError` for another kind of object, and without a text."""
    if isinstance(item, BatchRow):
        return item
    if isinstance(item, str):
        return BatchRow(item)
    if not isinstance(item, Mapping):
        raise InputError(f"a row is {kind_of(item)}: give a text, a BatchRow or a mapping with a text")
    if item.get("text") is None:
        raise InputError("a row has no text: give it one, under the key text")
    return BatchRow(**{name: item[name] for name in BatchRow._fields if item.get(name) is not None})
