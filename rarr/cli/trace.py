"""`rarr trace`: shows, replays, exports, imports and removes recorded runs; accepts and reverts edits."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, save_file, warn, write, write_result
from rarr.errors import InputError, ModelError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr import Revision
    from rarr.traces.trace_reader import Trace

_NODE_OPTION = options.option("--node", "N", "The node, such as check_agreement.")
_FULL_OPTION = click.option("--full", is_flag=True, help="Show all prompts and answers in full.")


@click.group(no_args_is_help=False)
def trace() -> None:
    """Look at the input and output of a run's nodes.

    RUN is a run of this machine: its name in rarr trace list, the first characters of the name, or last. To
    show, open, export and replay, it is also a file of rarr trace export.
    """


def _load_trace(run: str) -> "Trace":
    from rarr import Trace

    return Trace.read(run) if os.path.lexists(run) else Trace.load(run)


@trace.command("list")
@options.option("--limit", "N", "Runs to list; default 20.", type=options.COUNT, default=20)
@options.JSON
def list_runs(limit: int) -> int:
    """List the runs, the newest first: time, duration, outcome, usage and changes."""
    from rarr.traces.store import TraceStore
    from rarr.views.trace_text import runs_table

    store = TraceStore()
    runs, names = store.summaries(limit), store.run_names()
    none = "No run was recorded yet: rarr revise records a run, unless the setting trace is false.\n"
    write_result([each._asdict() for each in runs], lambda: runs_table(runs, names) if runs else none)
    return 0


@trace.command()
@click.argument("run")
@_NODE_OPTION
@_FULL_OPTION
def show(run: str, node: str | None, full: bool) -> int:
    """Show RUN: a summary, then a tree of calls with results, questions to models, failed attempts.

    \b
    Examples:
      rarr trace show last --node check_agreement --full
    """
    from rarr.views.trace_text import trace_text

    write(trace_text(_load_trace(run), terminal=sys.stdout.isatty(), node=node, full=full))
    return 0


@trace.command()
@click.argument("run")
@options.option("--accept", "EDIT", "A suggested edit to apply; repeatable.", multiple=True)
@options.option("--revert", "EDIT", "An edit to take out of the text; repeatable.", multiple=True)
@options.JSON
def decide(run: str, accept: tuple[str, ...], revert: tuple[str, ...]) -> int:
    """Accept or revert edits of RUN, and print its text.

    RUN is also a file of rarr revise --json. It stays as it is: name all edits in one call.

    \b
    Examples:
      rarr trace decide last --accept e1 --revert e2
    """
    from rarr.views.shown_text import visible_text

    if not (accept or revert):
        raise InputError("no edit is named: give --accept or --revert")
    made = _revision_of(run)
    made = made.without(*revert) if revert else made
    made = made.accept(*accept) if accept else made
    text = made.text + "\n" * (not made.text.endswith("\n"))
    write_result(made, lambda: visible_text(text) if sys.stdout.isatty() else text)
    touched = [made.sentence_of(it) for it in made.edits if it.id in (*accept, *revert)]
    for it in (edit for edit in made.edits if made.sentence_of(edit) in touched):
        complain(f"{it.id}: {it.state}", 0)
    return 0


def _revision_of(run: str) -> "Revision":
    """Reads the revision of a recorded run or a JSON file. Raises `InputError` if `run` has no revision."""
    from rarr import Revision, Trace

    file, cure = Path(run), "name a run that is done, or a file of rarr revise --json"
    try:
        written = file.read_bytes() if file.is_file() else None
        found = Trace.load(run).revision if written is None else Revision.model_validate_json(written)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not the JSON of a revision"
        raise InputError(f"{run} cannot be read ({why}): {cure}") from None
    if found is None:
        raise InputError(f"{run} has no revision: {cure}")
    return found


@trace.command("open")
@click.argument("run")
@options.out_option("FILE", "File for the page.")
def open_page(run: str, out: Path | None) -> int:
    """Write RUN as a page, and open it in the browser, unless -o is given or there is no display."""
    import webbrowser

    from rarr import Settings
    from rarr.tools.storage.files import make_private_folder
    from rarr.traces.store import trace_page_path
    from rarr.views.pages import trace_page

    loaded = _load_trace(run)
    file = out or trace_page_path(Settings().home.expanduser(), loaded.run_id)
    if out is None:
        make_private_folder(file.parent)
        file.parent.chmod(0o700)  # nobody else can read the page, even while it is written
    save_file(file, [trace_page(loaded)])
    write(f"{file}\n")
    with suppress(webbrowser.Error):
        browser = webbrowser.get() if out is None else None
        # Without a display, Python offers browsers of this class, which would use the terminal.
        if browser is not None and type(browser) is not webbrowser.GenericBrowser:
            browser.open(file.absolute().as_uri())
    return 0


@trace.command()
@click.argument("run")
@options.out_option("FILE", "File for the lines.")
def export(run: str, out: Path | None) -> int:
    """Write RUN as JSON lines to pass it on: with the text, the evidence, all prompts and answers."""
    from rarr.views.shown_text import escaped_json

    text = _load_trace(run).text()
    write(escaped_json(text) if out is None and sys.stdout.isatty() else text, out)
    return 0


@trace.command("import")
@click.argument("file", type=options.FILE)
def import_run(file: Path) -> int:
    """Import a run from the FILE of rarr trace export, and print its name."""
    from rarr import Trace
    from rarr.traces.store import TraceStore

    loaded = Trace.read(file)
    TraceStore().add_trace(loaded.file)
    write(f"{loaded.run_id}\n")
    return 0


@trace.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
def prune(runs: Sequence[str]) -> int:
    """Remove runs. Runs older than trace_days, and the oldest above 500 MB, are removed automatically."""
    from rarr.traces.store import TraceStore

    store = TraceStore()
    write(f"runs removed: {store.remove_runs([store.full_run_id(run) for run in runs])}\n")
    return 0


@trace.command()
@click.argument("run")
@_NODE_OPTION
@options.option("--prompt", "FILE", "Prompt that replaces the one of its name.", type=options.FILE)
@options.option("--runs", "N", "The N newest runs; RUN is last.", type=options.COUNT)
@options.setting_options("model", "base_url", as_settings=False)
@_FULL_OPTION
def replay(
    run: str, node: str | None, prompt: Path | None, runs: int | None, chosen: dict[str, Any], full: bool
) -> int:
    """Run RUN again, or one node of it with another prompt or model, and show what changes and why.

    The results of searches come from the trace, and so do the answers of models. With --node or --prompt, a
    model is asked if the trace lacks its answer. Without both, no model is asked, and the exit status is 4 if
    the revision is not the same again. API keys come from the current settings.

    \b
    Examples:
      rarr trace replay last
      rarr trace replay last --runs 20 --prompt check_agreement.md
    """
    from rarr import replay as replayed
    from rarr.traces.store import TraceStore
    from rarr.views.trace_text import replays_text

    if runs is not None and run != "last":
        raise InputError("--runs N is for the newest runs: give last as RUN")
    chosen |= options.given_options(prompt=prompt)
    whole = ("done", "not checked")
    names = [each.run_id for each in TraceStore().summaries(runs) if each.status in whole] if runs else [run]
    done = []
    for name in names:
        try:
            made = replayed(_load_trace(name), node, **chosen)
            if made.failed:
                failures = f"{len(made.failed)} of {counted(made.asked, 'question')} failed"
                raise ModelError(f"{failures}, so that the result cannot be used: {made.failed[0]}")
            done.append(made)
        except (InputError, ModelError) as error:
            if runs is None or (name == names[-1] and not done):
                raise
            warn(f"run {name} is left out: {error}")
    write(replays_text(done, full=full))
    is_changed = node is not None or "prompt" in chosen
    return 0 if is_changed or all(it.same for it in done) else complain("the revision differs", 4)
