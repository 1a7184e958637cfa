"""`rarr trace`: lists, shows, exports and removes recorded runs."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rarr.cli import options
from rarr.cli.streams import warn, write
from rarr.cli.trace_replay import replay
from rarr.errors import InputError

if TYPE_CHECKING:
    from rarr.traces.store import TraceStore

trace = typer.Typer(rich_markup_mode=None, help="Look at the input and output of a run's nodes.")
trace.command()(replay)


@trace.command("list")
def list_(limit: options.Runs = 20, as_json: options.Json = False) -> int:
    """List the runs, the newest first: time, duration, outcome, usage and changes.

    \b
    Examples:
      rarr trace list
      rarr trace list --limit 100 --json
    """
    from rarr.views.terminal.revision import as_json as json_of
    from rarr.views.terminal.trace.listing import runs_json, runs_table

    with _opened() as store:
        runs, names = store.list(limit), store.names()
    if as_json:
        write(json_of(runs_json(runs)))
    elif not runs:
        write("No run was recorded yet: rarr revise records a run, unless the setting trace is false.\n")
    else:
        write(runs_table(runs, names))
    return 0


@trace.command()
def show(
    run: options.Run,
    node: options.ShownNode = None,
    verdict: options.ShownVerdict = None,
    errors: options.Errors = False,
    full: options.Full = False,
    as_json: options.Json = False,
) -> int:
    """Show a run as a tree: calls of nodes with results, questions to models, failed attempts.

    \b
    Examples:
      rarr trace show last
      rarr trace show 1a2b3c4d --node check_agreement --full
      rarr trace show last --verdict disagrees
      rarr trace show last --errors
    """
    from rarr import Trace
    from rarr.views.terminal.revision import as_json as json_of
    from rarr.views.terminal.trace import tree

    choice = tree.Choice(node, verdict, errors, full)
    loaded = Trace.load(run)
    write(json_of(tree.as_json(loaded, choice)) if as_json else tree.as_text(loaded, choice))
    return 0


@trace.command("open")
def open_(run: options.Run, out: options.Page = None) -> int:
    """Write a run as a page, and open it in the browser, unless -o is given or there is no display.

    \b
    Examples:
      rarr trace open last
      rarr trace open 1a2b3c4d -o run.html
    """
    from rarr import Settings, Trace
    from rarr.traces.store import page_path
    from rarr.views.html.trace import page

    loaded = Trace.load(run)
    file = out or page_path(Settings().home.expanduser(), loaded.run_id)
    _write_page(file, page(loaded), private=out is None)
    write(f"{file}\n")
    if out is None:
        _browse(file)
    return 0


@trace.command()
def export(run: options.Run, out: options.TraceFile = None) -> int:
    """Write a run as one JSON file to pass it on: with the text, the evidence, all prompts and answers.

    \b
    Examples:
      rarr trace export last > run.json
      rarr trace export 1a2b3c4d -o run.json
    """
    from rarr import Trace
    from rarr.views.terminal.revision import escaped

    loaded = Trace.load(run)
    if out is not None:
        loaded.write(out)
    else:
        text = loaded.file.text()
        write(escaped(text) if sys.stdout.isatty() else text)
    return 0


@trace.command("import")
def import_(file: options.Exported) -> int:
    """Import a run that `rarr trace export` wrote, and print its name.

    \b
    Examples:
      rarr trace import run.json
    """
    from rarr import Trace

    loaded = Trace.read(file)
    with _opened() as store:
        store.add(loaded.file)
    write(f"{loaded.run_id}\n")
    return 0


@trace.command()
def prune(
    runs: options.PrunedRuns = None,
    days: options.Days = None,
    max_mb: options.MaxMb = None,
    every: options.All = False,
) -> int:
    """Remove old runs, and free their space on the disk. Without options, the limits of the settings hold.

    \b
    Examples:
      rarr trace prune
      rarr trace prune --days 7 --max-mb 100
      rarr trace prune 1a2b3c4d
      rarr trace prune --all
    """
    if sum((bool(runs), days is not None or max_mb is not None, every)) > 1:
        raise InputError("runs, limits and --all exclude each other: give one of them")
    from rarr.traces.store import on_disk
    from rarr.traces.trace_reader import store_path

    before = on_disk(store_path())
    with _opened() as store:
        names = [store.resolve(run) for run in runs or ()]
        if names:
            removed = store.remove(names)
        elif every:
            removed = store.remove_all()
        else:
            removed = store.prune(**_limits(days, max_mb))
        _shrink(store)
    megabytes = f"{before / 1e6:.2f} MB before, {on_disk(store_path()) / 1e6:.2f} MB now"
    which = f"; removed: {', '.join(names)}" if names else ""
    write(f"runs removed: {removed}; {store_path()}: {megabytes}{which}\n")
    return 0


@contextmanager
def _opened() -> "Iterator[TraceStore]":
    from rarr.traces.trace_reader import open_store

    with open_store() as store:
        yield store


def _limits(days: float | None, max_mb: float | None) -> dict[str, float]:
    from rarr import Settings

    settings = Settings()
    return {
        "days": settings.trace_days if days is None else days,
        "max_bytes": 1e6 * (settings.trace_max_mb if max_mb is None else max_mb),
    }


def _shrink(store: "TraceStore") -> None:
    try:
        store.shrink()
    except sqlite3.OperationalError as error:  # the runs are removed all the same
        warn(f"their space is not free yet ({error}): prune again when no run is under way")


def _write_page(file: Path, page: str, *, private: bool) -> None:
    from rarr.tools.storage.files import write_whole

    try:
        if private:
            _write_private(file, page)
        else:
            write_whole(file, page)
    except OSError as error:
        raise InputError(
            f"{file} cannot be written ({error.strerror}): name another file with -o FILE"
        ) from None


def _write_private(file: Path, page: str) -> None:
    """Writes a file that nobody else can read, not even while it is written."""
    from rarr.tools.storage.files import private_folder

    private_folder(file.parent)
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)  # a crash may have left it
    part.touch(mode=0o600, exist_ok=False)
    part.write_text(page, encoding="utf-8")
    part.replace(file)


def _browse(file: Path) -> None:
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # Without a display, Python offers browsers that would take over the terminal; they are of this class.
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(file.absolute().as_uri())
