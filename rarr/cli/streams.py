"""Reads from standard input and files, and writes to standard output and error."""

import codecs
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from pydantic import BaseModel

_NAMED = 20  # lines or rows that are named on standard error
_FILE_NAME = re.compile(r"\S+\.(?:txt|md|markdown|rst|html?|pdf|docx?|odt|rtf|jsonl?|csv)", re.IGNORECASE)


def require_output() -> None:
    """Raises `InputError` where standard output is closed, as after >&-. Standard error may be closed."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open until the process ends
    if sys.stdout is None:
        raise InputError("standard output is closed: send it to a file, or to /dev/null")


def text_to_revise(text: str | None, file: Path | None) -> str:
    """Reads the text to revise from the argument, the file or standard input. Its line ends stay.

    Raises `InputError` if there is none, or two, or if `text` is the name of a file.
    """
    if text is not None and file is not None:
        raise InputError("TEXT and --file exclude each other: give one of them")
    if file is not None:
        return _filled(_read(file), str(file))
    if text is not None and text != "-":
        _require_no_path(text)
        return _filled(text, "TEXT")
    if text is None and sys.stdin is not None and sys.stdin.isatty():
        raise InputError("no text: give it in quotes, or - to read standard input, or --file F")
    return _input("give the text in quotes, or --file F")


def argument_text(given: str, name: str, of_file: str) -> str:
    """Reads the argument `name` of a command, or standard input if it is "-".

    Raises `InputError` if it is empty, or the name of a file, where `of_file` is the cure.
    """
    if given == "-":
        return _input(f"give {name} in quotes")
    try:
        is_file = Path(given).is_file()
    except (OSError, ValueError):  # too long for a name, or not a name
        is_file = False
    if is_file:
        raise InputError(f"{name} is the name of a file: {of_file}")
    return _filled(given, name)


def text_of_file(file: str) -> str:
    """Reads the text from a file, or from standard input if `file` is "-". Its line ends stay.

    Raises `InputError` if it cannot be read, is no text, or is empty.
    """
    if file == "-":
        return _input("give the path of a text file")
    return text_to_revise(None, Path(file))


def _require_no_path(text: str) -> None:
    """Raises `InputError` for the name of a file or a folder, which would be revised as a text."""
    try:
        path = Path(text)
        if path.is_file() or _FILE_NAME.fullmatch(text):
            raise InputError(
                f"TEXT is the name of a file: to revise what the file holds, give --file {text}; to revise"
                " the name itself, give it on standard input"
            )
        if text and path.is_dir():
            raise InputError("TEXT is the name of a folder: give the text in quotes, or a file with --file F")
    except (OSError, ValueError):  # too long for a name, or not a name
        return


def _input(cure: str) -> str:
    """Reads the text on standard input."""
    if sys.stdin is None:  # closed, as after <&-
        raise InputError(f"standard input is closed: {cure}")
    try:
        return _filled(sys.stdin.buffer.read(), "standard input")
    except OSError as error:
        raise InputError(f"standard input cannot be read ({error.strerror}): {cure}") from None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: the path holds a NUL byte
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{file} cannot be read ({why}): give the path of a text file") from None


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
        raise InputError(
            f"{name} is not UTF-8 (byte 0x{data[error.start]:02x} at offset {error.start}): "
            f"{_conversion_advice(data)}"
        ) from None


def _conversion_advice(data: bytes) -> str:
    """Tells how to turn `data`, which is not UTF-8, into UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "convert it, as with iconv -f UTF-16 -t UTF-8"
    if b"\0" in data or data.startswith(b"%PDF"):
        return "it is no text, so save it as text first, as with pdftotext"
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "convert it, as with iconv -f LATIN1 -t UTF-8"
    return "convert it with iconv -c -f UTF-8 -t UTF-8, which leaves out halves of characters"


def write(text: str) -> None:
    """Writes exactly `text` to standard output: in UTF-8, or in the encoding of a terminal."""
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    write_bytes(text.encode(encoding, "replace"))


def write_bytes(data: bytes) -> bool:
    """Writes `data` to standard output. Returns False if the reader of a pipe has stopped reading."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return True
    except OSError as error:
        # The buffered rest must not fail again when the interpreter exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # the reader of a pipe may stop early
            raise InputError(f"the result cannot be written ({error.strerror}): free some space") from None
        return False


def write_report(report: "BaseModel", text: str, out: Path, *, as_json: bool) -> None:
    """Writes a report as JSON, or its text with the place of the whole report in the folder `out`."""
    from rarr.views.terminal.revision import as_json as json_of

    write(json_of(report) if as_json else f"{text}\nreport: {out / 'report.json'}\n")


def complain(message: str, status: int) -> int:
    """Writes one line to standard error, and returns `status`."""
    from rarr.views.terminal.revision import one_line

    sys.stderr.write(f"rarr: {one_line(message)}\n")
    return status


def warn(message: str) -> None:
    """Writes one line with a warning to standard error."""
    complain(f"warning: {message}", 0)


def warn_of_each(messages: Sequence[str], *, all_in: str = "report.json") -> None:
    """Writes a line with a warning for each message; of many, the first alone. `all_in` has all of them."""
    for message in messages[:_NAMED]:
        warn(message)
    if len(messages) > _NAMED:
        warn(f"and {len(messages) - _NAMED} more: {all_in} has all of them")


def complain_of_errors(errors: Sequence[str], *, of: int | None = None, rows: str) -> int:
    """Writes a warning for each error, and the cure; `of` counts all rows, and `rows` names one: "claim".

    Returns the exit status: 0 without an error, 3 if all rows have one, else 2. Without `of`, never 3.
    """
    if not errors:
        return 0
    warn_of_each(errors)
    if len(errors) == of:
        return complain(f"no {rows} could be judged: see rarr doctor", 3)
    cure = f"correct the cause, and run again, which repeats these {rows}s"
    return complain(f"{counted(len(errors), rows)} with an error: {cure}", 2)
