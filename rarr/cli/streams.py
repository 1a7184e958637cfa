"""Reads texts from arguments, files and standard input; writes results, files, warnings and errors."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli.options import wants_json
from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rarr.views.progress import ProgressLine


def require_standard_output() -> None:
    """Raises `InputError` if standard output is closed. Sends a closed standard error to the null device."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open until the process ends
    if sys.stdout is None:
        raise InputError("standard output is closed: send it to a file, or to /dev/null")


def argument_text(given: str | None, name: str, cure: str) -> str:
    """Returns the text `given` of the argument `name`, or of standard input if `given` is "-" or None.

    Raises `InputError` with the advice `cure` if the text is missing (None at a terminal) or is the name of a
    file or folder, whose content was probably meant. Raises `InputError` if the text is empty or not UTF-8.
    """
    from rarr.retrievers.extract.files import file_kind

    if given is not None and given != "-":
        if given and (os.path.lexists(given) or (file_kind(given) and not any(map(str.isspace, given)))):
            raise InputError(f"{name} is the name of a file or folder: {cure}")
        return _required_text(given, name)
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        raise InputError(f"{name} is missing: {cure}")
    return text_of_file("-", cure)


def text_of_file(file: str | Path, cure: str = "give the path of a text file") -> str:
    """Reads a text from a file, or from standard input if `file` is "-". The line ends do not change.

    Raises `InputError` if the text cannot be read, is not UTF-8, or is empty.
    """
    name = "standard input" if file == "-" else str(file)
    if file == "-" and sys.stdin is None:
        raise InputError(f"standard input is closed: {cure}")
    try:
        return _required_text(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes(), name)
    except (OSError, ValueError) as error:  # ValueError: the path holds a NUL byte
        raise InputError(f"{name} cannot be read ({getattr(error, 'strerror', error)}): {cure}") from None


def _required_text(given: str | bytes, name: str) -> str:
    text = decode_utf8(given, name)
    if not text.strip():
        raise InputError(f"{name} is empty: give a text of at least one sentence")
    return text


def decode_utf8(given: str | bytes, name: str) -> str:
    """Decodes UTF-8 without its byte order mark. For invalid bytes, raises an `InputError` about `name`."""
    # Python keeps the bytes of an argument that it cannot decode as surrogates; this restores the bytes.
    data = given if isinstance(given, bytes) else given.encode("utf-8", sys.getfilesystemencodeerrors())
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cure = "save it as text first, as with pdftotext or iconv -t UTF-8"
        where = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InputError(f"{name} is not UTF-8 ({where}): {cure}") from None


def source_passages(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yields a dict for each document (text, title, source, published_at). Raises `InputError` on failure."""
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
            raise InputError(f"{file} cannot be used: {error}: give another copy or document") from None


def write(text: str, out: Path | None = None) -> None:
    """Writes `text` to the file `out`, or to standard output (UTF-8, or the encoding of the terminal).

    Raises `InputError` if the text cannot be written. A pipe whose reader has stopped is no error.
    """
    if out is not None:
        return save_file(out, [text])
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    try:
        sys.stdout.buffer.write(text.encode(encoding, "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        # When Python exits, it writes the rest of the buffer, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"the result cannot be written ({error.strerror}): free some space") from None


def write_result(result: "BaseModel | Any", text: Callable[[], str]) -> None:
    """Writes `result` to standard output as JSON if the user gave --json; else writes `text()`."""
    from rarr.views.shown_text import as_json as json_of

    write(json_of(result) if wants_json() else text())


def write_tables(report: Any, out: Path | None = None, noun: str = "report") -> int:
    """Writes a report: as JSON with --json, else as tables and a line "`noun`: `out`". Returns status 0."""
    from rarr.views.report_tables import as_tables

    write_result(report, lambda: as_tables(report, out, noun))
    return 0


def require_not_an_input(out: Path | None, read: Iterable[Path]) -> None:
    """Raises `InputError` if the output file `out` is one of the input files `read`."""
    if out and out.exists() and any(file.exists() and file.samefile(out) for file in read):
        raise InputError(f"-o {out} would replace a file that is read: name another file")


def save_file(out: Path, lines: Iterable[str]) -> None:
    """Writes `lines` to the file `out`. An old file stays until all is written. Raises `InputError`."""
    from rarr.tools.storage.files import write_whole

    try:
        write_whole(out, (line.encode() for line in lines))
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): name another file with -o") from None


def complain(message: str, status: int) -> int:
    """Writes a message on one line to standard error. Returns `status`, so that a command can return it."""
    from rarr.views.shown_text import one_line

    sys.stderr.write(f"rarr: {one_line(message)}\n")
    return status


def warn(*messages: str) -> None:
    """Writes each message as a warning on one line to standard error."""
    for message in messages:
        complain(f"warning: {message}", 0)


def complain_of_errors(errors: Sequence[str], noun: str, *, all_failed: bool) -> int:
    """Writes the first 20 errors as warnings, then what to do. `noun` is the word for a row, such as "claim".

    Returns the exit status: 0 without errors, 3 if `all_failed` (no row has a result), 2 for other errors.
    """
    warn(*errors[:20], *[f"and {len(errors) - 20} more"] * (len(errors) > 20))
    if not errors:
        return 0
    if all_failed:
        return complain(f"no {noun} could be done: {errors[0]}: see rarr doctor", 3)
    failed = f"{counted(len(errors), noun)} with an error"
    return complain(f"{failed}: correct the cause, and run again, which repeats them", 2)


def show_progress() -> AbstractContextManager["ProgressLine"]:
    """Returns a context manager that shows the progress of a command on standard error."""
    from rarr.views.progress import ProgressLine

    return ProgressLine(visible=sys.stderr.isatty()).display()


@contextmanager
def open_with_progress(owner: Callable[..., Any], settings: object) -> Iterator[Any]:
    """Yields an object of class `owner`, such as `Reviser`, and closes it at the end. Shows its progress."""
    with show_progress() as line, owner(settings, on_step=line.show_step, on_index=line.show_files) as made:
        yield made
