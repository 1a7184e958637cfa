"""The commands on one text: `rarr revise`, `cite`, `write` and `answer`."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options, streams
from rarr.cli.documents import passages_of
from rarr.errors import BudgetError, InputError, ModelError, RetrievalError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr import Settings
    from rarr.records import Revision
    from rarr.records.articles import Article
    from rarr.records.citations import CitationCheck

_NAME = 8  # characters of a run's name, which tell it from other runs


@click.command()
@click.argument("text", required=False)
@options.one("--file", "F", "Read the text from this file.", type=options.FILE)
@options.CONTEXT
@options.files("--source", "A text or document that the answer was given; repeatable.")
@options.settings(*options.RUN)
@click.option("--accept", type=click.Choice(["suggested"]), help="Apply the suggested edits as well.")
@options.JSON
@click.option("--diff", is_flag=True, help="Print only a unified diff.")
@click.option("--verbose", "-v", is_flag=True, help="Print the reasons and all quotes as well.")
@options.ESTIMATE
def revise(
    text: str | None,
    file: Path | None,
    context: str | None,
    source: Sequence[Path],
    chosen: dict[str, Any],
    accept: str | None,
    as_json: bool,
    diff: bool,
    verbose: bool,
    estimate: bool,
) -> int:
    """Revise a text, and show the evidence for it.

    TEXT is - for standard input. Prints the revised text with its changes, a line for each sentence with its
    status and evidence, and the cost. Put -- before a text that starts with a dash.

    \b
    Examples:
      rarr revise "The Golden Gate Bridge opened in 1935." --corpus notes/
      rarr revise --file draft.md --source dam.md --diff
      rarr revise - --corpus notes.index --json < draft.md
      rarr revise "In 1867." --context "When did the US buy Alaska?" --corpus notes/
      rarr revise --file draft.md --search tavily --set include_domains=who.int
      rarr revise --file draft.md --corpus notes/ --model vllm:Qwen/Qwen3-8B
    """
    from rarr import Reviser, Settings
    from rarr.tools.text.wording import beside_the_reason
    from rarr.views.revision_text import render, render_diff

    if as_json and diff:
        raise InputError("--json and --diff exclude each other: give one of them")
    if text is not None and file is not None:
        raise InputError("TEXT and --file exclude each other: give one of them")
    cure = "give the text in quotes, or its file with --file F"
    original = streams.argument_text(text, "TEXT", cure) if file is None else streams.text_of_file(file)
    context = None if context is None else streams.decoded(context, "--context")
    settings, terminal = Settings(**chosen), sys.stdout.isatty()
    with streams.at_work(Reviser, settings) as reviser:
        if estimate:
            expected = reviser.estimate(original, context)
            streams.write_result(expected, lambda: streams.estimate_line(expected), as_json=as_json)
            return 0
        revision: Revision = reviser.revise(original, context, sources=_sources(source, settings))
    if accept:
        revision = revision.accept(*(edit.id for edit in revision.edits if edit.state == "suggested"))
    status = _outcome(revision, aloud=diff)
    shown = revision
    if status and not as_json:  # standard error has the first failure already
        shown = revision.model_copy(update={"warnings": tuple(beside_the_reason(revision.warnings))})
    if diff:
        streams.write(render_diff(shown, terminal=terminal))
    else:
        streams.write_result(
            revision, lambda: render(shown, terminal=terminal, verbose=verbose), as_json=as_json
        )
    if terminal and not (as_json or diff) and settings.trace:
        streams.write(f"\ntrace: rarr trace show {revision.run_id[:_NAME]}\n")
    return status


def _sources(files: Sequence[Path], settings: "Settings") -> list[dict[str, str]] | None:
    """Returns what `revise` takes as sources: the texts of these files; None for no file."""
    return [
        {"text": each.text, "url": each.source, "title": each.title}
        for file in files
        for each in passages_of(file, settings.max_file_mb)
    ] or None


def _outcome(revision: "Revision", *, aloud: bool, more: Iterable[str] = ()) -> int:
    """Returns the exit status: 3, with a line why, if nothing could be checked, else 0.

    `aloud`: prints `more` and the warnings to standard error, because the result does not hold them.
    """
    from rarr.tools.text.wording import grouped, nothing_checked

    if why := nothing_checked(revision):
        return streams.complain(f"nothing could be checked: {why}", 3)
    if aloud:
        streams.warn(*more, *grouped(revision.warnings))
    return 0


@click.command()
@click.argument("file")
@options.CONTEXT
@options.settings(*options.RUN)
@options.choice("--style", "numbered footnotes", "[1] and a list, or [^1] and footnotes.")
@click.option("--mark-unsupported", is_flag=True, help="Mark unsupported sentences: [citation needed].")
@options.JSON
def cite(file: str, context: str | None, chosen: dict[str, Any], as_json: bool, **form: Any) -> int:
    """Put citations into a text, and change nothing else.

    FILE is - for standard input. A sentence that evidence supports gets a mark such as [1], and the text a
    list of sources at its end. Citations that the text has already are checked, and stay; standard error
    names the wrong ones.

    \b
    Examples:
      rarr cite draft.md --corpus notes/ > cited.md
      rarr cite draft.md --corpus notes/ --style footnotes --mark-unsupported
    """
    from rarr import Reviser, Settings

    text = streams.text_of_file(file)
    context = None if context is None else streams.decoded(context, "--context")
    with streams.at_work(Reviser, Settings(**chosen)) as reviser:
        cited = reviser.cite(text, context, **form)
    streams.write_result(cited, lambda: str(cited.text), as_json=as_json)
    return _outcome(cited.research, aloud=not as_json, more=_wrong(cited.existing))


def _wrong(checks: "Sequence[CitationCheck]") -> Iterator[str]:
    for check in checks:
        named = f"{check.text} ({check.target})" if check.target not in check.text else check.text
        why = {"not_supported": "its source does not support the sentence"}.get(check.state, "")
        if check.state == "source_not_found":
            why = f"it {'is not among the sources that were searched' if check.target else 'has no entry'}"
        if why:
            yield f"citation {named} at character {check.start}: {why}"


@click.command("write")
@click.argument("topic")
@options.settings(*options.RUN)
@options.one("--outline", "FILE", "File with the headings, one a line.", type=options.FILE)
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
      rarr write "Hoover Dam" --corpus notes/ --model vllm:Qwen/Qwen3-8B
    """
    from rarr import Settings, Writer
    from rarr.tools.text.wording import grouped

    topic = streams.decoded(topic, "TOPIC")
    streams.require_writable(out)
    headings = None if outline is None else streams.text_of_file(outline)
    with streams.at_work(Writer, Settings(**chosen)) as writer:
        article: Article = writer.write(topic, headings)
    if not article.sentences:
        return streams.complain(f"nothing could be written about {article.topic!r}: {_reason(article)}", 3)
    if out is not None:
        streams.save(out, [article.text])
    shown = article.text if out is None else f"{out}: {_summary(article)}\n"
    streams.write_result(article, lambda: shown, as_json=as_json)
    streams.warn(*() if as_json else grouped(article.warnings))
    return 0


def _reason(article: "Article") -> str:
    """Writes why there is no sentence: the first failure with its cause, else the first gap with its cure."""
    from rarr.tools.text.wording import grouped, is_failure

    if failed := grouped(warning for warning in article.warnings if is_failure(warning)):
        return failed[0]
    gaps = grouped(each for each in article.warnings if each.code == "section_missing")
    return f"{gaps[0]}: give sources about it with --corpus, --graph, or --search for the web"


def _summary(article: "Article") -> str:
    """Writes the counts and the citation measures on one line."""
    done = sum(section.state == "written" for section in article.sections)
    pairs = {
        name: (getattr(article.as_written, name), getattr(article.checked, name))
        for name in ("recall", "precision", "rate")
    }
    scores = [
        "{} {} as written, {} checked".format(name, *("-" if it is None else f"{it:.2f}" for it in pair))
        for name, pair in pairs.items()
    ]
    counts = f"{counted(done, 'section')}, {counted(len(article.sentences), 'sentence')}"
    return f"{counts}, {counted(len(article.sources), 'source')}; citation {'; '.join(scores)}"


@click.command()
@click.argument("question")
@options.settings(*options.RUN)
@options.choice("--style", "brackets footnotes", "[id, relation: value], or Markdown footnotes.")
@options.JSON
def answer(question: str, chosen: dict[str, Any], style: Any, as_json: bool) -> int:
    """Answer a question, with a source for every statement.

    The sources are triples or passages. Without a language model, the statements are sentences of the
    sources. With one, each of its citations is checked, and statements without support are marked [NA].

    \b
    Examples:
      rarr answer "Where was Marie Curie born?" --graph people.csv
      rarr answer "How high is the Hoover Dam?" --corpus notes/ --style footnotes
    """
    from rarr import Answerer, Settings
    from rarr.tools.text.wording import grouped

    asked = streams.argument_text(
        question, "QUESTION", "give the question in quotes, or - and the file as input"
    )
    try:
        with streams.at_work(Answerer, Settings(**chosen)) as answerer:
            answered = answerer.answer(asked)
    except (RetrievalError, ModelError, BudgetError) as error:
        return streams.complain(f"nothing could be answered: {error}", 3)
    streams.write_result(answered, lambda: f"{answered.render(style)}\n", as_json=as_json)
    refused = [(statement.text, why) for statement in answered.statements for why in statement.refused]
    if not as_json:  # JSON holds all of it
        streams.warn(*(f"citation {why} (in {text!r})" for text, why in refused), *grouped(answered.warnings))
    return 0
