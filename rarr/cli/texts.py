"""The commands on one text: `rarr revise`, `cite`, `write` and `answer`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarr.cli import options, streams
from rarr.errors import InputError
from rarr.tools.text.wording import NO_RESULT, counted, warning_lines, why_nothing_checked

if TYPE_CHECKING:
    from rarr import Settings
    from rarr.records import Revision


@click.command()
@click.argument("text", required=False)
@options.option("--file", "F", "Read the text from this file.", type=options.FILE)
@options.CONTEXT
@options.SOURCE
@options.setting_options(*options.RUN_SETTINGS, "doubt")
@options.JSON
@click.option("--diff", is_flag=True, help="Print only a unified diff.")
@click.option("--verbose", "-v", is_flag=True, help="Print the reasons and all quotes as well.")
@options.ESTIMATE
def revise(
    text: str | None, file: Path | None, context: str | None, source: Sequence[Path], settings: "Settings",
    verbose: bool, **shown: bool,
) -> int:  # fmt: skip
    """Revise a text, and show the evidence for it.

    TEXT is - for standard input. Prints the revised text with its changes, a line for each sentence with its
    status and evidence, and the cost. Put -- before a text that starts with a dash.

    \b
    Examples:
      rarr revise "The Golden Gate Bridge opened in 1935." --corpus notes/
      rarr revise --file draft.md --source dam.md --diff
      rarr revise - --corpus notes.index --json < draft.md
      rarr revise --file draft.md --corpus notes/ --model vllm:Qwen/Qwen3-8B
    """
    from rarr import Reviser
    from rarr.views.revision_text import revision_diff, revision_text

    if options.wants_json() and shown["diff"]:
        raise InputError("--json and --diff exclude each other: give one of them")
    if text is not None and file is not None:
        raise InputError("TEXT and --file exclude each other: give one of them")
    cure = "give the text in quotes, or its file with --file F"
    original = streams.argument_text(text, "TEXT", cure) if file is None else streams.text_of_file(file)
    with streams.open_with_progress(Reviser, settings) as reviser:
        if shown["estimate"]:
            return streams.write_tables(reviser.estimate(original, context))
        revision = reviser.revise(original, context, sources=[*streams.source_passages(source)] or None)
    status = _report_status(revision, warning_lines(revision.warnings) if shown["diff"] else ())
    terminal = sys.stdout.isatty()
    if shown["diff"]:
        streams.write(revision_diff(revision, terminal=terminal))
    else:
        streams.write_result(revision, lambda: revision_text(revision, terminal=terminal, verbose=verbose))
    run, left = revision.run_id[:8], [edit.id for edit in revision.edits if edit.state == "suggested"]
    if left and not options.wants_json():
        cure = f": rarr trace decide {run} --accept {' --accept '.join(left)}" if settings.trace else ""
        streams.complain(f"not made: {', '.join(left)}, suggested{cure}", 0)
    if terminal and settings.trace and not (options.wants_json() or shown["diff"]):
        streams.write(f"\ntrace: rarr trace show {run}\n")
    return status


def _report_status(revision: "Revision", told: Iterable[str] = ()) -> int:
    """Writes an error if nothing was checked, else warnings `told` (not with --json). Returns the status."""
    if why := why_nothing_checked(revision):
        return streams.complain(f"nothing could be checked: {why}", 3)
    streams.warn(*() if options.wants_json() else told)
    return 0


@click.command()
@click.argument("file")
@options.CONTEXT
@options.SOURCE
@options.setting_options(*options.RUN_SETTINGS)
@click.option("--mark-unsupported", is_flag=True, help="Mark unsupported sentences: [citation needed].")
@options.JSON
def cite(file: str, context: str | None, source: Sequence[Path], settings: "Settings", **how: bool) -> int:
    """Put citations into a text, and change nothing else.

    FILE is - for standard input. A supported sentence gets a mark such as [1]. The text gets a list of its
    sources at the end. Citations that the text has already stay. They are checked too: standard error names
    those that are not supported.

    \b
    Examples:
      rarr cite draft.md --corpus notes/ --mark-unsupported
    """
    from rarr import Reviser

    text, passages = streams.text_of_file(file), [*streams.source_passages(source)] or None
    with streams.open_with_progress(Reviser, settings) as reviser:
        cited = reviser.cite(text, context, sources=passages, **how)
    streams.write_result(cited, lambda: str(cited.text))
    doubtful = [it for it in cited.existing if it.state != "supported"]
    lines = [f"citation {it.text} at character {it.start}: {it.state}" for it in doubtful]
    return _report_status(cited.research, [*lines, *warning_lines(cited.research.warnings)])


@click.command("write")
@click.argument("topic")
@options.setting_options(*options.RUN_SETTINGS)
@options.option("--outline", "FILE", "File with the headings, one a line.", type=options.FILE)
@options.out_option("FILE", "File for the article, in Markdown.")
@options.JSON
def write_article(topic: str, settings: "Settings", outline: Path | None, out: Path | None) -> int:
    """Write an article from sources, with checked citations.

    Plans sections, searches for each, writes them, and checks every citation: a wrong one is replaced; what
    no passage supports is corrected as little as possible, or marked [citation needed]. A section without a
    source is a named gap. --model must name a language model.

    \b
    Examples:
      rarr write "Hoover Dam" --corpus notes/ --model openai:gpt-5-mini -o article.md
    """
    from rarr import Writer

    topic = streams.decode_utf8(topic, "TOPIC")
    headings = None if outline is None else streams.text_of_file(outline)
    with streams.open_with_progress(Writer, settings) as writer:
        article = writer.write(topic, headings)
    if not article.sentences:
        return _report_status(article.research)
    if out is not None:
        streams.save_file(out, [article.text])
    counts = f"{counted(len(article.sentences), 'sentence')}, {counted(len(article.sources), 'source')}"
    streams.write_result(article, lambda: article.text if out is None else f"{out}: {counts}\n")
    return _report_status(article.research, warning_lines(article.warnings))


@click.command()
@click.argument("question")
@options.setting_options(*options.RUN_SETTINGS)
@options.JSON
def answer(question: str, settings: "Settings") -> int:
    """Answer a question, with a source for every statement.

    The sources are triples or passages. A language model writes, and each of its citations is checked.
    Statements without support are marked [NA].

    \b
    Examples:
      rarr answer "Where was Marie Curie born?" --graph people.csv --model openai:gpt-5-mini
    """
    from rarr import Answerer

    asked = streams.argument_text(question, "QUESTION", "give it in quotes, or - and the file as input")
    with streams.open_with_progress(Answerer, settings) as answerer:
        answered = answerer.answer(asked)
    streams.write_result(answered, lambda: f"{answered.render()}\n")
    why = next((it.message for it in answered.warnings if it.code == NO_RESULT), "")
    if not options.wants_json():  # JSON has these lines already
        refused = (f"citation {why} (in {it.text!r})" for it in answered.statements for why in it.refused)
        told = warning_lines(it for it in answered.warnings if it.code != NO_RESULT)
        streams.warn(*refused, *(line for line in told if line not in why))
    return streams.complain(f"nothing could be checked: {why}", 3) if why else 0
