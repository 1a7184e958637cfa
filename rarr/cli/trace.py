"""`rarr trace`: lists, shows, replays, exports, imports and removes recorded runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, save, warn, write, write_result
from rarr.errors import InputError
from rarr.tools.text.wording import counted

_RUN = click.argument("run")
_NODE = options.one("--node", "N", "The node, such as check_agreement.")
_FULL = options.flag("--full", "Show all prompts and answers in full.")


@click.group()
def trace() -> None:
    """Look at the input and output of a run's nodes.

    RUN is a run of this machine: its name in rarr trace list, the first characters of the name, or last.
    """


@trace.command("list")
@options.one("--limit", "N", "Runs to list; default 20.", type=options.COUNT, default=20)
@options.JSON
def list_(limit: int) -> int:
    """List the runs, the newest first: time, duration, outcome, usage and changes."""
    from rarr.traces.trace_reader import open_store
    from rarr.views.trace_text import runs_json, runs_table

    with open_store() as store:
        runs, names = store.list(limit), store.names()
    none = "No run was recorded yet: rarr revise records a run, unless the setting trace is false.\n"
    write_result(runs_json(runs), lambda: runs_table(runs, names) if runs else none)
    return 0


@trace.command()
@_RUN
@_NODE
@_FULL
def show(run: str, node: str | None, full: bool) -> int:
    """Show RUN: a summary, then a tree of calls with results, questions to models, failed attempts.

    \b
    Examples:
      rarr trace show last
      rarr trace show 1a2b3c4d --node check_agreement --full
    """
    from rarr import Trace
    from rarr.views.trace_text import as_text

    write(as_text(Trace.load(run), node=node, full=full))
    return 0


@trace.command("open")
@_RUN
@options.out("FILE", "File for the page.")
def open_(run: str, out: Path | None) -> int:
    """Write RUN as a page, and open it in the browser, unless -o is given or there is no display."""
    from rarr import Settings, Trace
    from rarr.tools.storage.files import private_file, private_folder
    from rarr.traces.store import page_path
    from rarr.views.html.trace import page

    loaded = Trace.load(run)
    file = out or page_path(Settings().home.expanduser(), loaded.run_id)
    if out is None:
        private_folder(file.parent)  # nobody else can read the page, not even while it is written
        part = file.with_name(f"{file.name}.part")
        part.unlink(missing_ok=True)
        private_file(part)
    save(file, [page(loaded)])
    write(f"{file}\n")
    if out is None:
        _browse(file)
    return 0


def _browse(file: Path) -> None:
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # Without a display, Python offers browsers that would take over the terminal; they are of this class.
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(file.absolute().as_uri())


@trace.command()
@_RUN
@options.out("FILE", "File for the JSON.")
def export(run: str, out: Path | None) -> int:
    """Write RUN as one JSON file to pass it on: with the text, the evidence, all prompts and answers."""
    from rarr import Trace
    from rarr.views.shown_text import escaped

    loaded = Trace.load(run)
    if out is not None:
        loaded.write(out)
    else:
        text = loaded.file.text()
        write(escaped(text) if sys.stdout.isatty() else text)
    return 0


@trace.command("import")
@click.argument("file", type=options.FILE)
def import_(file: Path) -> int:
    """Import a run from the FILE of rarr trace export, and print its name."""
    from rarr import Trace
    from rarr.traces.trace_reader import open_store

    loaded = Trace.read(file)
    with open_store() as store:
        store.add(loaded.file)
    write(f"{loaded.run_id}\n")
    return 0


@trace.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@options.flag("--all", "Remove all runs.")
def prune(runs: Sequence[str], **every: bool) -> int:
    """Remove runs by name, and free their space on the disk.

    Without a RUN, removes what is beyond trace_days, and the oldest above 500 MB.
    """
    from sqlite3 import OperationalError

    from rarr import Settings
    from rarr.traces.trace_reader import open_store

    if runs and every["all"]:
        raise InputError("RUN and --all exclude each other: give one of them")
    settings = Settings()
    with open_store() as store:
        if every["all"]:
            removed = store.remove_all()
        elif runs:
            removed = store.remove([store.resolve(run) for run in runs])
        else:
            removed = store.prune(days=settings.trace_days, max_bytes=1e6 * settings.trace_max_mb)
        try:
            store.shrink()
        except OperationalError as error:  # the runs are removed all the same
            warn(f"their space is not free yet ({error}): prune again when no run is under way")
    write(f"runs removed: {removed}\n")
    return 0


@trace.command()
@_RUN
@_NODE
@options.one("--prompt", "FILE", "Prompt for the node.", type=options.FILE)
@options.chosen("model", "base_url", "corpus", "graph", "search")
@_FULL
def replay(run: str, node: str | None, prompt: Path | None, chosen: dict[str, Any], full: bool) -> int:
    """Run RUN again, or one node of it with another prompt or model.

    RUN is also a file of rarr trace export. Models and searches answer from the trace. Questions that the
    trace cannot answer, above all those of a changed prompt, are asked for real. Without --node nothing is
    asked: the revision must come out unchanged, else the exit status is 4. Addresses, keys and documents are
    those of the current settings, and never those of the trace.

    \b
    Examples:
      rarr trace replay last
      rarr trace replay last --node check_agreement --prompt mine.md
      rarr trace replay last --node check_agreement --model vllm:Qwen/Qwen3-8B
    """
    from rarr import Trace, replay as replayed
    from rarr.views.replay_text import render

    loaded = Trace.read(run) if run.endswith(".json") or Path(run).is_file() else Trace.load(run)
    outcome = replayed(loaded, node, **chosen, **options.given(prompt=prompt))
    write(render(outcome, full=full))
    if outcome.failed:
        failures = f"{len(outcome.failed)} of {counted(outcome.asked, 'question')} failed"
        return complain(f"{failures}, so that the result cannot be used: {outcome.failed[0]}", 3)
    return 0 if node is not None or outcome.same else complain("the revision differs", 4)
