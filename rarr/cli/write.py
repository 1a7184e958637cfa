"""`rarr write`: writes an article from sources, with a checked citation behind each sentence."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options, run_options, write_options
from rarr.cli.streams import complain, decoded, text_of_file, warn, write as write_out
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.records.articles import Article, SectionDraft

_GAPS = ("section_missing", "article_missing")
"""The codes of the warnings about what was not written."""
_CURE = "give sources about it with --corpus, --graph, or --search for the web"


def write(
    topic: write_options.Topic,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    outline: write_options.OutlineFile = None,
    plan: write_options.Plan = None,
    chunks: write_options.Chunks = None,
    out: write_options.ArticleFile = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    as_json: options.Json = False,
) -> int:
    """Write an article from sources, with a checked citation behind each sentence.

    Plans sections, searches for each, writes them at the same time, and checks every citation: a wrong one is
    replaced by a passage that supports the sentence; what no passage supports is corrected as little as
    possible, or marked with [citation needed]. Without a language model, the sections quote whole sentences
    of the sources. A section without a source, or whose writing failed, is a named gap. Exit status: 0 done;
    2 the call or its input is wrong; 3 nothing could be written.

    \b
    Examples:
      rarr write "Golden Gate Bridge" --corpus notes/
      rarr write "Golden Gate Bridge" --corpus notes/ --outline headings.txt -o article.md
      rarr write "Golden Gate Bridge" --corpus notes/ --model vllm:Qwen/Qwen3-8B --json
      rarr write "Marie Curie" --graph people.csv
    """
    topic = decoded(topic, "TOPIC")
    if out is not None:
        _require_writable(out)
    headings = None if outline is None else _headings_of(outline)
    given = run_options.of_run(locals(), chunks=chunks)
    if plan is not None:  # False is a value here, and no flag that is off
        given["plan"] = plan
    article = _written(topic, headings, given)
    return _outcome(article, out, as_json=as_json)


def _written(topic: str, headings: str | None, chosen: dict[str, Any]) -> "Article":
    from rarr import Settings, Writer
    from rarr.views.terminal.progress_line import Waiting

    advice = "; --deadline S ends a run with the sections so far"
    with Waiting(watched=sys.stderr.isatty(), advice=advice) as waiting:

        def on_section(draft: "SectionDraft") -> None:
            if sys.stderr.isatty():
                complain(f"written, to be checked: {draft.heading}", 0)

        with Writer(
            Settings(**chosen), on_step=waiting.step, on_index=waiting.indexed, on_section=on_section
        ) as writer:
            return writer.write(topic, headings)


def _outcome(article: "Article", out: Path | None, *, as_json: bool) -> int:
    """Writes the article to the file, or to standard output. Returns the exit status."""
    from rarr.tools.text.warning_lines import grouped
    from rarr.views.terminal.revision import as_json as json_of

    if not article.sentences:
        return complain(f"nothing could be written about {article.topic!r}: {_reason(article)}", 3)
    if out is not None:
        _save(out, article.text)
    if as_json:
        write_out(json_of(article))
        return 0
    write_out(article.text if out is None else f"{out}: {_summary(article)}\n")
    for warning in grouped(article.warnings):
        warn(warning)
    return 0


def _reason(article: "Article") -> str:
    """Writes why there is no sentence: the first failure with its cause, else the first gap with its cure."""
    from rarr.tools.text.warning_lines import grouped, is_failure

    failed = grouped(warning for warning in article.warnings if is_failure(warning))
    gaps = grouped(warning for warning in article.warnings if warning.code in _GAPS)
    return failed[0] if failed else f"{gaps[0]}: {_CURE}"


def _headings_of(outline: Path) -> str:
    """Reads the outline. An empty file has no heading, as the writer then says."""
    from rarr.errors import InputError

    try:
        if outline.is_file() and not outline.read_bytes().strip():
            raise InputError(f"{outline} has no heading of a section: give one a line, such as History")
    except OSError:
        pass  # `text_of_file` says why the file cannot be read
    return text_of_file(str(outline))


def _require_writable(out: Path) -> None:
    """Raises `InputError` before any work if the article cannot be written to `out`."""
    from rarr.errors import InputError

    if out.is_dir():
        raise InputError(f"{out} is a folder: give the name of a file with -o")
    if not out.parent.is_dir():
        raise InputError(
            f"{out} cannot be written ({out.parent} is no folder): make it, or give another path"
        )


def _save(out: Path, text: str) -> None:
    from rarr.errors import InputError
    from rarr.tools.storage.files import write_whole

    try:
        write_whole(out, text)
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): give another path") from None


def _summary(article: "Article") -> str:
    """Writes the counts and the citation measures on one line."""
    done = sum(section.state == "written" for section in article.sections)
    scores = [
        f"{name} {_shown(before)} as written, {_shown(after)} checked"
        for name, before, after in (
            ("recall", article.as_written.recall, article.checked.recall),
            ("precision", article.as_written.precision, article.checked.precision),
            ("rate", article.as_written.rate, article.checked.rate),
        )
    ]
    counts = f"{counted(done, 'section')}, {counted(len(article.sentences), 'sentence')}"
    return f"{counts}, {counted(len(article.sources), 'source')}; citation {'; '.join(scores)}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
