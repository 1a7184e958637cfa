"""The command line. Results go to standard output, complaints to standard error, each on one line.

Exit status: 0 done, 1 a defect of `rarr` itself, 2 the call or its input is wrong, 3 nothing could be
checked, 130 interrupted. What is slow to import is imported by the command that needs it.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rarr.errors import InputError, RarrError

if TYPE_CHECKING:
    from rarr.records import Revision

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

CorpusOption = Annotated[
    str | None, typer.Option(metavar="PATH", help="Folder, file or built index to search.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with these arguments, or the process's own; the exit status."""
    try:
        status = app(argv, prog_name="rarr", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(_misuse(error), 2)
    except RarrError as error:
        return _complain(str(error), 2)
    except Exception as error:
        return _complain(f"{_where(error)}: this is a defect of rarr, please report this line", 1)
    return _complain("interrupted", 130) if status == 130 else status or 0


def _version(wanted: bool) -> None:
    if wanted:
        from rarr.doctor import installed

        _write(f"rarr {installed('rarr') or '(not installed)'}\n")
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Research a text, and revise it as little as possible so that it can be attributed to evidence.

    \b
    Examples:
      rarr revise --file draft.md --corpus notes/
      rarr index notes/ -o notes.index
      rarr doctor

    Exit status: 0 done; 2 the call or its input is wrong; 3 nothing could be checked.
    """


def _presets() -> list[str]:
    from rarr.agent.settings import PRESETS

    return list(PRESETS)


@app.command()
def revise(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text, or - for standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option(metavar="F", help="Read the text from this file.")] = None,
    context: Annotated[
        str | None, typer.Option(metavar="C", help="What the text answers: a question, prior turns.")
    ] = None,
    corpus: CorpusOption = None,
    search: Annotated[
        str | None, typer.Option(metavar="S", help="Where evidence comes from, such as corpus.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="For every node; this version has embedded.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="P", help="Settings by name: default, paper, fast.", autocompletion=_presets),
    ] = None,
    as_json: JsonOption = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print a unified diff alone.")] = False,
) -> int:
    """Revise a text, and show the evidence for it.

    Prints the revised text, what changed and why, and the evidence for each sentence.
    Settings that are not given here come from rarr.toml, from [tool.rarr] of pyproject.toml, or from RARR_...
    variables. A text that starts with a dash comes after --.

    \b
    Examples:
      rarr revise "The Golden Gate Bridge opened in 1935." --corpus notes/
      rarr revise --file draft.md --corpus notes/ --diff
      rarr revise - --corpus notes.index --json < draft.md
      rarr revise "In 1867." --context "When did the US buy Alaska?" --corpus notes/
    """
    if as_json and diff:
        raise InputError("--json and --diff exclude each other: give one of them")
    original = _text(text, file)
    context = None if context is None else _decoded(context, "--context")
    chosen = {"corpus": corpus, "search": search, "model": model, "preset": preset}
    given = {name: value for name, value in chosen.items() if value is not None}
    revision = _revised(original, context, given)
    _write(_shown(revision, as_json=as_json, diff=diff))
    return _outcome(revision, aloud=diff)


def _revised(text: str, context: str | None, chosen: dict[str, Any]) -> "Revision":
    from rarr import Reviser
    from rarr.agent.settings import Settings
    from rarr.render import Waiting

    calls = Counter[str]()
    with Waiting(watched=sys.stderr.isatty()) as waiting:

        def on_step(node: str) -> None:
            calls[node] += 1
            waiting.say(f"{node.replace('_', ' ')} {calls[node]}")

        def on_index(done: int, total: int) -> None:
            waiting.say(f"index: {done} of {total} files")

        reviser = Reviser(Settings(**chosen), on_step=on_step, on_index=on_index)
        return reviser.revise(text, context)


def _shown(revision: "Revision", *, as_json: bool, diff: bool) -> str:
    from rarr.render import render, render_diff

    if as_json:
        return revision.model_dump_json(indent=2) + "\n"
    return (render_diff if diff else render)(revision, terminal=sys.stdout.isatty())


def _outcome(revision: "Revision", *, aloud: bool) -> int:
    """The exit status. `aloud`: the warnings were not printed with the result, so that they come here."""
    from rarr.tools.notices import grouped

    warnings = grouped(revision.warnings)
    if _nothing_checked(revision):
        why = warnings[0] if warnings else "no source of evidence could be searched"
        more = f" (and {len(warnings) - 1} more warnings)" if len(warnings) > 1 else ""
        return _complain(f"nothing could be checked: {why}{more}: mend that, or see rarr doctor", 3)
    for warning in warnings if aloud else ():
        _warn(warning)
    return 0


def _nothing_checked(revision: "Revision") -> bool:
    """Did every search, or every judgement, fail? A text without checkable claims is no failure."""
    codes = {notice.code for notice in revision.warnings}
    statuses = {sentence.status for sentence in revision.report.sentences}
    if not statuses or "nothing_to_check" in codes:
        return False
    failed = any(code.endswith("_failed") for code in codes)
    return statuses == {"retrieval_failed"} or (statuses <= {"retrieval_failed", "unjudged"} and failed)


@app.command()
def index(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder or file to index.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="INDEX", help="Folder for the index.")],
) -> int:
    """Build the index of a corpus once.

    Again with the same INDEX, it reads only what changed since.

    \b
    Examples:
      rarr index notes/ -o notes.index
      rarr revise --file draft.md --corpus notes.index
    """
    from rarr.agent.settings import Settings
    from rarr.render import Waiting
    from rarr.retrievers.index import build_index

    settings = Settings()
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = build_index(
            path,
            out,
            window=settings.window,
            step=settings.step,
            max_file_mb=settings.max_file_mb,
            progress=lambda done, total: waiting.say(f"{done} of {total} files"),
        )
    for file, reason in report.skipped:
        _warn(f"{file} is skipped: {reason}")
    files = f"{report.read} read, {report.unchanged} unchanged, {report.removed} removed"
    _write(f"documents: {report.documents}\npassages: {report.passages}\nfiles: {files}\n")
    return 0


@app.command()
def doctor(corpus: CorpusOption = None, as_json: JsonOption = False) -> int:
    """Say what is missing or broken, and the cure.

    Looks at the installation, the settings and the corpus. Exit status 2 where something is broken.

    \b
    Examples:
      rarr doctor
      rarr doctor --corpus notes/ --json
    """
    from rarr.doctor import as_json as json_of, as_text, examine

    findings = examine(corpus)
    _write(json_of(findings) if as_json else as_text(findings))
    return 2 if any(finding.state == "broken" for finding in findings) else 0


def _text(text: str | None, file: Path | None) -> str:
    """The text to revise, with its line endings as they are."""
    if text is not None and file is not None:
        raise InputError("TEXT and --file exclude each other: give one of them")
    if text is None and file is None and sys.stdin.isatty():
        raise InputError("no text: give it in quotes, or - to read standard input, or --file F")
    if file is not None:
        return _filled(_read(file), str(file))
    if text is None or text == "-":
        return _filled(sys.stdin.buffer.read(), "standard input")
    return _filled(text, "TEXT")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}): give the path of a text file") from None


def _filled(given: str | bytes, name: str) -> str:
    text = _decoded(given, name)
    if not text.strip():
        raise InputError(f"{name} is empty: give a text of at least one sentence")
    return text


def _decoded(given: str | bytes, name: str) -> str:
    # What Python could not decode of an argument becomes the bytes that came.
    data = given if isinstance(given, bytes) else given.encode("utf-8", sys.getfilesystemencodeerrors())
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 (byte 0x{data[error.start]:02x} at offset {error.start}): "
            "convert it, as with iconv -f LATIN1 -t UTF-8"
        ) from None


def _write(text: str) -> None:
    """Writes exactly `text`: in UTF-8 to a file or a pipe, as a terminal can show it to a terminal."""
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    try:
        sys.stdout.buffer.write(text.encode(encoding, "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        # What is still buffered must not fail again when the interpreter exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # whoever reads a pipe may stop when it has enough
            raise InputError(f"the result cannot be written ({error.strerror}): free some space") from None


def _complain(message: str, status: int) -> int:
    from rarr.render import one_line

    sys.stderr.write(f"rarr: {one_line(message)}\n")
    return status


def _warn(message: str) -> None:
    _complain(f"warning: {message}", 0)


def _misuse(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    # A list item in Markdown, or a negative number, looks like an option.
    dash = ", and put -- before a text that starts with a dash" * message.startswith("No such option")
    return f"{message.rstrip('.')}: see {context.command_path if context else 'rarr'} --help{dash}"


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}: {error}{place}"
