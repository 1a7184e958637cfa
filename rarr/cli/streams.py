"""Reads texts from arguments, files and standard input; writes results, files, and complaints."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli.options import as_json
from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rarr.records import ModelUsage
    from rarr.views.progress import Waiting


def require_output() -> None:
    """Raises `InputError` where standard output is closed, as after >&-. Standard error may be closed."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open until the process ends
    if sys.stdout is None:
        raise InputError("standard output is closed: send it to a file, or to /dev/null")


def argument_text(given: str | None, name: str, cure: str) -> str:
    """Returns the text of the argument `name`, or of standard input if it is - or, in a pipe, missing.

    `cure` is what to give instead of the name of a file or a folder, which would be read as the text. Raises
    `InputError` for such a name, and for a text that is missing, empty or not UTF-8.
    """
    from rarr.retrievers.extract.files import file_kind

    if given is not None and given != "-":
        if given and (os.path.lexists(given) or (file_kind(given) and not any(map(str.isspace, given)))):
            raise InputError(f"{name} is the name of a file or folder: {cure}")
        return _filled(given, name)
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        raise InputError(f"{name} is missing: {cure}")
    return text_of_file("-", cure)


def text_of_file(file: str | Path, cure: str = "give the path of a text file") -> str:
    """Reads the text from a file, or from standard input if `file` is "-". Its line ends stay.

    Raises `InputError` if it cannot be read, is no text, or is empty.
    """
    name = "standard input" if file == "-" else str(file)
    if file == "-" and sys.stdin is None:
        raise InputError(f"standard input is closed: {cure}")
    try:
        return _filled(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes(), name)
    except (OSError, ValueError) as error:  # ValueError: the path holds a NUL byte
        raise InputError(f"{name} cannot be read ({getattr(error, 'strerror', error)}): {cure}") from None


def _filled(given: str | bytes, name: str) -> str:
    text = decoded(given, name)
    if not text.strip():
        raise InputError(f"{name} is empty: give a text of at least one sentence")
    return text


def decoded(given: str | bytes, name: str) -> str:
    """Decodes UTF-8 without a byte order mark. Raises `InputError`, which names it `name`, if it is not."""
    # Parts of an argument that Python could not decode are turned back into their bytes.
    data = given if isinstance(given, bytes) else given.encode("utf-8", sys.getfilesystemencodeerrors())
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cure = "save it as text first, as with pdftotext or iconv -t UTF-8"
        where = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InputError(f"{name} is not UTF-8 ({where}): {cure}") from None


def passages_of(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yields the documents of the files as given passages. Raises `InputError` for an unreadable file."""
    from rarr.retrievers.extract.documents import UnreadableError
    from rarr.retrievers.extract.files import extract, file_kind

    for file in files:
        if file.is_dir() or not (file.exists() and file_kind(file.name)):
            what = "is no document" if file.exists() else "does not exist"
            raise InputError(f"{file} {what}: give the path of a text or document, such as a .pdf")
        try:
            for it in extract(file, lambda line, file=file: warn(f"{file}: {line}")):  # type: ignore[misc]
                place = {"source": it.source or str(file), "title": it.title}
                yield {"text": it.text, "published_at": it.published_at, **place}
        except UnreadableError as error:
            raise InputError(f"{file} cannot be used: {error}: give the path of a text or document") from None


def write(text: str, out: Path | None = None) -> None:
    """Writes exactly `text` to the file `out`, or to standard output, in the encoding of a terminal or UTF-8.

    The reader of a pipe may stop early. Raises `InputError` if the disk is full.
    """
    if out is not None:
        return save(out, [text])
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    try:
        sys.stdout.buffer.write(text.encode(encoding, "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        # The buffered rest must not fail again when the interpreter exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"the result cannot be written ({error.strerror}): free some space") from None


def write_result(result: "BaseModel | Any", text: Callable[[], str]) -> None:
    """Writes a result as JSON where the call has --json, else as its text."""
    from rarr.views.shown_text import as_json as json_of

    write(json_of(result) if as_json() else text())


def write_tables(report: Any, out: Path | None = None, noun: str = "report") -> None:
    """Writes a report as JSON where the call has --json, else as tables."""
    from rarr.views.report_tables import as_tables

    write_result(report, lambda: as_tables(report, out, noun))


def write_estimate(estimate: "ModelUsage") -> int:
    """Writes what a run is expected to use, in one line. Returns the exit status 0."""
    cost = "unknown: give prices in endpoints" if estimate.cost is None else f"{estimate.cost:.4g}"
    tokens = f"{estimate.input_tokens:,} tokens in and {estimate.output_tokens:,} out"
    line = f"about {counted(estimate.model_calls, 'request')}, {tokens}; cost {cost}\n"
    write_result(estimate, lambda: line)
    return 0


def require_unread(out: Path | None, read: Iterable[Path]) -> None:
    """Raises `InputError`, before any work, if `out` is a file that is `read`."""
    if out and out.exists() and any(file.exists() and file.samefile(out) for file in read):
        raise InputError(f"-o {out} would replace a file that is read: name another file")


def save(out: Path, lines: Iterable[str]) -> None:
    """Writes a file as a whole: it gets its name when it is complete. Raises `InputError` if it cannot."""
    from rarr.tools.storage.files import write_whole

    try:
        write_whole(out, (line.encode() for line in lines))
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): name another file with -o") from None


def complain(message: str, status: int) -> int:
    """Writes one line to standard error, and returns `status`."""
    from rarr.views.shown_text import one_line

    sys.stderr.write(f"rarr: {one_line(message)}\n")
    return status


def warn(*messages: str) -> None:
    """Writes a line with a warning to standard error for each message."""
    for message in messages:
        complain(f"warning: {message}", 0)


def complain_of_errors(errors: Sequence[str], noun: str, *, all_failed: bool) -> int:
    """Writes a warning for each error of a row, and the cure. Returns the exit status: 3, 2 or 0.

    `noun` names a row: "claim". `all_failed`: no row has a result.
    """
    warn(*errors[:20], *[f"and {len(errors) - 20} more"] * (len(errors) > 20))
    if not errors:
        return 0
    if all_failed:
        return complain(f"no {noun} could be done: {errors[0]}: see rarr doctor", 3)
    failed = f"{counted(len(errors), noun)} with an error"
    return complain(f"{failed}: correct the cause, and run again, which repeats them", 2)


def waiting() -> AbstractContextManager["Waiting"]:
    """Returns what shows on standard error that a command is at work."""
    from rarr.views.progress import Waiting

    return Waiting(watched=sys.stderr.isatty()).shown()


@contextmanager
def at_work(owner: Callable[..., Any], settings: object) -> Iterator[Any]:
    """Makes what runs a pipeline, such as a `Reviser`, and shows its steps until it is closed."""
    with waiting() as shown, owner(settings, on_step=shown.step, on_index=shown.indexed) as made:
        yield made
