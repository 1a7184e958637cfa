"""`rarr write` writes articles and `rarr answer` answers questions, with checked citations."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import (
    argument_text,
    complain,
    decoded,
    require_writable,
    save,
    text_of_file,
    waiting,
    warn,
    write,
)
from rarr.errors import BudgetError, InputError, ModelError, RetrievalError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.records.articles import Article, SectionDraft

_GAPS = ("section_missing", "article_missing")
"""The codes of the warnings about what was not written."""


@click.command("write")
@click.argument("topic")
@options.settings(*options.RUN)
@click.option("--outline", metavar="FILE", type=options.FILE, help="File with the headings, one a line.")
@options.out("FILE", "File for the article, in Markdown.")
@options.JSON
def write_(topic: str, chosen: dict[str, Any], outline: Path | None, out: Path | None, as_json: bool) -> int:
    """Write an article from sources, with checked citations.

    Plans sections, searches for each, writes them, and checks every citation: a wrong one is replaced by a
    passage that supports the sentence; what no passage supports is corrected as little as possible, or marked
    [citation needed]. Without a language model, sections quote whole sentences of the sources. A section
    without a source is a named gap.

    \b
    Examples:
      rarr write "Hoover Dam" --corpus notes/ --outline headings.txt -o article.md
      rarr write "Hoover Dam" --corpus notes/ --model vllm:Qwen/Qwen3-8B --set chunks=8
    """
    from rarr import Settings, Writer

    topic = decoded(topic, "TOPIC")
    require_writable(out)
    headings = None if outline is None else text_of_file(outline)
    settings = Settings(**chosen)
    with waiting("; --deadline S ends a run with the sections so far") as shown:

        def on_section(draft: "SectionDraft") -> None:
            if sys.stderr.isatty():
                complain(f"written, to be checked: {draft.heading}", 0)

        with Writer(settings, on_step=shown.step, on_index=shown.indexed, on_section=on_section) as writer:
            article = writer.write(topic, headings)
    return _written(article, out, as_json=as_json)


def _written(article: "Article", out: Path | None, *, as_json: bool) -> int:
    """Writes the article to the file, or to standard output. Returns the exit status."""
    from rarr.tools.text.wording import grouped
    from rarr.views.shown_text import as_json as json_of

    if not article.sentences:
        return complain(f"nothing could be written about {article.topic!r}: {_reason(article)}", 3)
    if out is not None:
        save(out, [article.text])
    if as_json:
        write(json_of(article))
        return 0
    write(article.text if out is None else f"{out}: {_summary(article)}\n")
    for warning in grouped(article.warnings):
        warn(warning)
    return 0


def _reason(article: "Article") -> str:
    """Writes why there is no sentence: the first failure with its cause, else the first gap with its cure."""
    from rarr.tools.text.wording import grouped, is_failure

    if failed := grouped(warning for warning in article.warnings if is_failure(warning)):
        return failed[0]
    gaps = grouped(warning for warning in article.warnings if warning.code in _GAPS)
    return f"{gaps[0]}: give sources about it with --corpus, --graph, or --search for the web"


def _summary(article: "Article") -> str:
    """Writes the counts and the citation measures on one line."""

    def shown(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    done = sum(section.state == "written" for section in article.sections)
    scores = [
        f"{name} {shown(getattr(article.as_written, name))} as written,"
        f" {shown(getattr(article.checked, name))} checked"
        for name in ("recall", "precision", "rate")
    ]
    counts = f"{counted(done, 'section')}, {counted(len(article.sentences), 'sentence')}"
    return f"{counts}, {counted(len(article.sources), 'source')}; citation {'; '.join(scores)}"


@click.command()
@click.argument("question")
@options.settings(*options.RUN)
@click.option("--draft", metavar="F", help="Check the answer in this file, or - for standard input.")
@options.choice("--style", "brackets footnotes", "[id, relation: value], or Markdown footnotes.")
@options.choice("--unsupported", "mark drop", "Mark statements without a source, or drop them.")
@options.JSON
def answer(
    question: str, chosen: dict[str, Any], draft: str | None, style: str, unsupported: Any, as_json: bool
) -> int:
    """Answer a question, with a source for every statement.

    The sources are triples or passages. Without a language model, the statements are sentences of the
    sources. With one, each of its citations is checked, and statements without support are marked [NA].

    \b
    Examples:
      rarr answer "Where was Marie Curie born?" --graph people.csv
      rarr answer "How high is the Hoover Dam?" --corpus notes/ --style footnotes
      rarr answer "Who was Marie Curie?" --graph people.csv --draft answer.md
    """
    from rarr import Answerer, Settings
    from rarr.tools.text.wording import grouped
    from rarr.views.shown_text import as_json as json_of

    if question == draft == "-":
        raise InputError("QUESTION and --draft are both -: give one of them as an argument or a file")
    asked = argument_text(question, "QUESTION", "give the question in quotes, or - and the file as input")
    written = None if draft is None else text_of_file(draft)
    settings = Settings(**chosen)
    try:
        with waiting() as shown, Answerer(settings, on_step=shown.step, on_index=shown.indexed) as answerer:
            answered = answerer.answer(asked, draft=written, unsupported=unsupported)
    except (RetrievalError, ModelError, BudgetError) as error:
        return complain(f"nothing could be answered: {error}", 3)
    write(json_of(answered) if as_json else f"{answered.render(style)}\n")  # type: ignore[arg-type]
    refused = [
        f"citation {why} (in {statement.text!r})"
        for statement in answered.statements
        for why in statement.refused
    ]
    for line in () if as_json else (*refused, *grouped(answered.warnings)):  # JSON holds all of it
        warn(line)
    return 0
