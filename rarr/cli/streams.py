"""Reads texts from arguments, files and standard input; writes results, files, and complaints."""

import codecs
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.views.progress import Waiting

_NAMED = 20  # lines or rows that are named on standard error
_FILE_NAME = re.compile(r"\S+\.(?:txt|md|markdown|rst|html?|pdf|docx?|odt|rtf|jsonl?|csv)", re.IGNORECASE)


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
    if given is not None and given != "-":
        try:
            path = Path(given)
            if given and (path.is_file() or path.is_dir() or _FILE_NAME.fullmatch(given)):
                kind = "folder" if path.is_dir() else "file"
                raise InputError(f"{name} is the name of a {kind}: {cure}")
        except (OSError, ValueError):  # too long for a name, or not a name
            pass
        return _filled(given, name)
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        raise InputError(f"{name} is missing: {cure}")
    if sys.stdin is None:  # closed, as after <&-
        raise InputError(f"standard input is closed: {cure}")
    try:
        return _filled(sys.stdin.buffer.read(), "standard input")
    except OSError as error:
        raise InputError(f"standard input cannot be read ({error.strerror}): {cure}") from None


def text_of_file(file: str | Path) -> str:
    """Reads the text from a file, or from standard input if `file` is "-". Its line ends stay.

    Raises `InputError` if it cannot be read, is no text, or is empty.
    """
    if file == "-":
        return argument_text("-", "the text", "give the path of a text file")
    try:
        return _filled(Path(file).read_bytes(), str(file))
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


def require_writable(out: Path | None, read: Iterable[Path] = ()) -> None:
    """Raises `InputError`, before any work, if `out` cannot be written, or is a file that is `read`."""
    if out is None:
        return
    if out.is_dir():
        raise InputError(f"{out} is a folder: name a file with -o")
    if not out.parent.is_dir():
        raise InputError(f"the folder {out.parent} of {out} does not exist: make it, or name another with -o")
    if out.exists() and any(file.exists() and file.samefile(out) for file in read):
        raise InputError(f"-o {out} would replace a file that is read: name another file")


def save(out: Path, lines: Iterable[str]) -> None:
    """Writes a file as a whole: it gets its name when it is complete. Raises `InputError` if it cannot."""
    from rarr.tools.storage.files import write_lines

    try:
        write_lines(out, (line.encode() for line in lines))
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): name another file with -o") from None


def complain(message: str, status: int) -> int:
    """Writes one line to standard error, and returns `status`."""
    from rarr.views.shown_text import one_line

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


def complain_of_errors(errors: Sequence[str], *, rows: int | None, noun: str) -> int:
    """Writes a warning for each error, and the cure. `rows` counts all rows, and `noun` names one: "claim".

    Returns the exit status: 0 without an error, 3 if all rows have one, else 2. Without `rows`, never 3.
    """
    if not errors:
        return 0
    warn_of_each(errors)
    if rows is not None and len(errors) >= rows:
        return complain(f"no {noun} could be judged: {errors[0]}: see rarr doctor", 3)
    cure = f"correct the cause, and run again, which repeats these {noun}s"
    return complain(f"{counted(len(errors), noun)} with an error: {cure}", 2)


def complain_of_lines(lines: Sequence[tuple[int, str]], data: object) -> int:
    """Writes a warning for each unreadable line of `data`, and the cure. Returns the exit status, 2 or 0."""
    warn_of_each([f"line {line} of {data} was left out: {reason}" for line, reason in lines])
    if not lines:
        return 0
    told = f"{counted(len(lines), 'line')} of {data} left out"
    return complain(f"{told}: correct the data, and run with another -o", 2)


def waiting(advice: str = "") -> "Waiting":
    """Returns what shows on standard error that a command is at work."""
    from rarr.views.progress import Waiting

    return Waiting(watched=sys.stderr.isatty(), advice=advice)
