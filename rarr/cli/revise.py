"""`rarr revise`: reads a text, and prints the revision, its report or its diff."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import argument_text, complain, decoded, text_of_file, waiting, warn, write
from rarr.errors import InputError

if TYPE_CHECKING:
    from rarr import Reviser
    from rarr.records import Revision

_NAME = 8  # characters of a run's name, which tell it from other runs


@click.command()
@click.argument("text", required=False)
@click.option("--file", metavar="F", type=options.FILE, help="Read the text from this file.")
@options.CONTEXT
@options.files("--source", "A text or document that the answer was given; repeatable.")
@options.settings(*options.RUN)
@click.option("--accept", type=click.Choice(["suggested"]), help="Apply the suggested edits as well.")
@options.JSON
@click.option("--diff", is_flag=True, help="Print only a unified diff.")
def revise(
    text: str | None,
    file: Path | None,
    context: str | None,
    source: tuple[Path, ...],
    chosen: dict[str, Any],
    accept: str | None,
    as_json: bool,
    diff: bool,
) -> int:
    """Revise a text, and show the evidence for it.

    TEXT is - for standard input. Prints the revised text, the changes with their reasons, and the evidence
    for each sentence. Put -- before a text that starts with a dash.

    \b
    Examples:
      rarr revise "The Golden Gate Bridge opened in 1935." --corpus notes/
      rarr revise --file draft.md --source dam.md --diff
      rarr revise - --corpus notes.index --json < draft.md
      rarr revise "In 1867." --context "When did the US buy Alaska?" --corpus notes/
      rarr revise --file draft.md --search tavily --set include_domains=who.int
      rarr revise --file draft.md --corpus notes/ --model vllm:Qwen/Qwen3-8B
    """
    if as_json and diff:
        raise InputError("--json and --diff exclude each other: give one of them")
    if text is not None and file is not None:
        raise InputError("TEXT and --file exclude each other: give one of them")
    cure = "give the text in quotes, or its file with --file F"
    original = argument_text(text, "TEXT", cure) if file is None else text_of_file(file)
    context = None if context is None else decoded(context, "--context")
    revision = _revised(original, context, source, chosen)
    if accept:
        revision = revision.accept(*(edit.id for edit in revision.edits if edit.state == "suggested"))
    write(_shown(revision, as_json=as_json, diff=diff))
    if sys.stdout.isatty() and not (as_json or diff) and _traced(revision, chosen):
        write(f"\ntrace: rarr trace show {revision.run_id[:_NAME]}\n")
    return _outcome(revision, aloud=diff)


def _revised(text: str, context: str | None, files: tuple[Path, ...], chosen: dict[str, Any]) -> "Revision":
    from rarr import Reviser
    from rarr.settings import Settings

    settings, calls = Settings(**chosen), Counter[str]()
    with waiting("; --deadline S ends a run with the result so far") as shown:

        def on_step(node: str) -> None:
            calls[node] += 1
            shown.say(f"{node.replace('_', ' ')} {calls[node]}")

        with Reviser(settings, on_step=on_step, on_index=shown.indexed) as reviser:
            return _with_sources(reviser, files).revise(text, context)


def _with_sources(reviser: "Reviser", files: tuple[Path, ...]) -> "Reviser":
    """Returns a reviser that reads these files first, and alone if the settings name no other source."""
    if not files:
        return reviser
    from rarr.cli.documents import passages_of
    from rarr.retrievers.given_passages import GivenPassages

    settings = reviser.settings
    texts = [
        {"text": each.text, "url": each.source, "title": each.title}
        for file in files
        for each in passages_of(file, settings.max_file_mb)
    ]
    passages = GivenPassages(texts, window=settings.window, step=settings.step, name="--source")
    return reviser.searching(passages, alone=not settings.names_source)


def _traced(revision: "Revision", chosen: dict[str, Any]) -> bool:
    from rarr.settings import Settings

    return Settings(**chosen).trace and all(notice.code != "trace_failed" for notice in revision.warnings)


def _shown(revision: "Revision", *, as_json: bool, diff: bool) -> str:
    from rarr.tools.text.wording import beside_the_reason, nothing_checked
    from rarr.views.revision_text import render, render_diff
    from rarr.views.shown_text import as_json as json_of

    if as_json:
        return json_of(revision)
    if nothing_checked(revision):  # the reason is printed as the last line
        other = tuple(beside_the_reason(revision.warnings))
        revision = revision.model_copy(update={"warnings": other})
    return (render_diff if diff else render)(revision, terminal=sys.stdout.isatty())


def _outcome(revision: "Revision", *, aloud: bool) -> int:
    """Returns the exit status: 3, with a line why, if nothing could be checked, else 0.

    `aloud`: prints the warnings to standard error, because the result does not hold them.
    """
    from rarr.tools.text.wording import grouped, nothing_checked

    if why := nothing_checked(revision):
        return complain(f"nothing could be checked: {why}", 3)
    for warning in grouped(revision.warnings) if aloud else ():
        warn(warning)
    return 0
