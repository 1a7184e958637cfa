"""The parts that benchmarks share: options, data, a scripted server, and the form of printed figures.

The cases of a benchmark are in halves. The half `tuned` may be looked at; the others are only for measuring.
"""

import argparse
import multiprocessing
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.recorded_reader import RecordedModel, read_lines as read_lines
from rarr.evals import metrics
from rarr.records import Edit, Revision
from rarr.testing import ScriptedServer
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.edit_segments import segments

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
DATA_FOLDER = Path(os.environ.get("BENCHMARK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def read_data(name: str) -> list[dict[str, Any]]:
    """Reads a file of the data sets, which are not in the repository. Exits if the file is missing."""
    path = DATA_FOLDER / name
    if not path.is_file():
        sys.exit(f"{path} is not there: set BENCHMARK_DATA to the folder that holds {name}")
    return read_lines(path)


def make_parser(doc: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def model_parser(doc: str | None) -> argparse.ArgumentParser:
    """Makes a parser of options that name the model which reads the evidence."""
    made = make_parser(doc)
    made.add_argument(
        "--model",
        default="embedded",
        help="what reads, as in the settings",
        type=lambda name: RecordedModel() if name == "recorded" else name,
    )
    made.add_argument("--base-url", help="the server of the model, as in the settings")
    made.add_argument("--pending", type=Path, help="write requests that are not recorded to this folder")
    return made


def half_parser(doc: str | None, halves: Sequence[str], *, reads: bool = True) -> argparse.ArgumentParser:
    """Makes the parser of a benchmark whose cases are in halves. `reads` adds the options of a model."""
    made = model_parser(doc) if reads else make_parser(doc)
    made.add_argument("--half", choices=(*halves, "all"), default="all")
    made.add_argument("--each", action="store_true", help="print each sentence of the tuned half")
    if reads:
        made.add_argument("--rounds", type=int, default=2, help="rounds of research, as in the settings")
    return made


def parse_halves(made: argparse.ArgumentParser, halves: Sequence[str]) -> argparse.Namespace:
    """Parses the options. `options.halves` has the names of the halves to measure."""
    options = made.parse_args()
    options.halves = tuple(halves) if options.half == "all" else (options.half,)
    if options.each and "tuned" not in options.halves:
        made.error("--each would show the sentences of a part that is for measuring alone")
    return options


@contextmanager
def report_time(options: argparse.Namespace) -> Iterator[None]:
    """Prints at the end of a `with` block its seconds, and how many requests were not recorded."""
    started = time.perf_counter()
    try:
        yield
    finally:
        model = getattr(options, "model", "embedded")
        if isinstance(model, RecordedModel):
            model.report_missing(options.pending)
            model = model.name
        print(f"{time.perf_counter() - started:.1f} seconds by {model} on {machine()}")


JudgedCase = tuple[str, str, str]
"""A case: its label (right or wrong), its result, and its words."""


def print_halves(
    doc: str | None,
    halves: Sequence[str],
    results: Callable[[str, argparse.Namespace], Sequence[JudgedCase]],
    *,
    reads: bool = True,
) -> None:
    """Prints a table for each half: how many wrong and right cases have each result."""
    options = parse_halves(half_parser(doc, halves, reads=reads), halves)
    with report_time(options):
        for half in options.halves:
            found = results(half, options)
            groups = [[outcome for label, outcome, _ in found if label == of] for of in ("wrong", "right")]
            names = sorted({outcome for _, outcome, _ in found})
            body = [[name, *(share([it == name for it in group]) for group in groups)] for name in names]
            print(f"\n## {half}\n\n{table(['result', 'wrong', 'right'], body)}", flush=True)
            shown = found if options.each and half == "tuned" else ()
            print(*(f"- {label}, {outcome}: {words}" for label, outcome, words in shown), sep="\n")


@contextmanager
def serve_apart(answer: Callable[[Any], Any], *, call_s: float = 0.0, **given: Any) -> Iterator[str]:
    """Yields the address of a scripted server in another process, so that its work is not measured.

    An answer takes `call_s` seconds, and its computation is part of them. `given` are options of the server.
    """
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(answer, call_s, given, there), daemon=True)
    process.start()
    there.close()  # else `recv` would wait for ever if the process fails to start
    try:
        yield here.recv()
    finally:
        with suppress(OSError):  # a process that failed has closed the pipe, and has printed its error
            here.send("end")
        process.join()


def _serve(answer: Callable[[Any], Any], call_s: float, given: dict[str, Any], pipe: Connection) -> None:
    """Sends the address of the server to the parent process. Serves until the parent sends a message."""

    def timed(asked: Any) -> Any:
        started = time.perf_counter()
        answered = answer(asked)
        time.sleep(max(0.0, call_s - (time.perf_counter() - started)))
        return answered

    with ScriptedServer(timed, **given) as server:
        pipe.send(server.url)
        pipe.recv()


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def resident_mb(pid: int | str = "self") -> float:
    """Returns the memory that a process holds now, in megabytes (Linux); 0 if the process has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def share(hits: Sequence[bool]) -> str:
    """Returns count, share and 95% Wilson interval of True in `hits`, as text."""
    if not hits:
        return "0/0"
    it = metrics.share(hits)
    return f"{sum(hits)}/{len(hits)} = {it.value:.3f} [{it.low:.3f}, {it.high:.3f}]"


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Returns the median with the least and the greatest value, as text."""
    shown = (f"{value:,.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return "{} [{} to {}]".format(*shown)


def met(holds: bool) -> str:
    return "met" if holds else "MISSED"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body))


def revised_place(original: str, edits: Sequence[Edit], place: Span) -> Span:
    """Returns where the revised text has the words (or their new form) that the original has at `place`."""
    before = within = at = 0
    for piece in segments(original, edits):
        length = len(piece.text)
        if piece.kind == "inserted":
            before += length if at <= place.start else 0
            within += length if place.start < at <= place.end else 0
            continue
        if piece.kind == "kept":
            before += max(0, min(at + length, place.start) - at)
            within += max(0, min(at + length, place.end) - max(at, place.start))
        at += length
    return Span(before, before + within)


def sentence_place(revision: Revision, sentence: str) -> Span:
    """Returns where the revised text has `sentence` of the original, or the edited sentence."""
    start = revision.original.index(sentence)
    return revised_place(revision.original, revision.edits, Span(start, start + len(sentence)))
