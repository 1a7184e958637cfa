"""Measures writing with citations on WikiGenBench (Zhang et al. 2024), by citations and shared words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from rarr.agent.wiring.components import wire
from rarr.agent.writing.writer import Writer
from rarr.components import Components
from rarr.errors import InputError, RarrError, SettingsError
from rarr.evals import run_folder
from rarr.evals.literature.benchmark_judging import digest, judge_folder, write_report
from rarr.evals.literature.compared_rerankers import compared_reranker
from rarr.evals.literature.published import WIKIGENBENCH, PublishedFigures
from rarr.evals.literature.wikigen_rows import EventPages, WikigenEvent, events_of
from rarr.evals.metrics import Measured, mean, meteor, rouge_l
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.records import Record
from rarr.records.articles import Article, CitationScores
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency import work
from rarr.tools.text.warning_lines import is_failure

SYSTEMS = ("rr", "prr", "extractive")
"""All in one call; planned, and each section alone; the same without a language model."""
MEASURES = ("recall", "precision", "rate")


class WikigenOptions(Record):
    """The options of the benchmark. `given_outline`: the headings are those of the reference article."""

    systems: tuple[str, ...] = ("extractive",)
    rerankers: tuple[str, ...] = ()
    given_outline: bool = False
    limit: int | None = None
    jobs: int = 1


class ArticleLine(FinishedLine):
    """A line of `predictions.jsonl`: the article about an event with its scores, or why there is none."""

    title: str = ""
    text: str = ""
    sections: int = 0
    words: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    as_written: CitationScores | None = None
    checked: CitationScores | None = None
    rouge_l: float | None = None
    meteor: float | None = None


class WrittenScores(Record):
    """The scores of one system with one reranker: means over articles, with intervals.

    `as_written` and `checked` have recall, precision and rate of the citations, before and after the check,
    both judged by the verifier of the run.
    """

    articles: int
    as_written: dict[str, Measured]
    checked: dict[str, Measured]
    rouge_l: Measured
    meteor: Measured
    words: Measured
    seconds: Measured
    errors: tuple[str, ...] = ()


class WikigenReport(Record):
    """The report of the benchmark, by system and reranker, such as `prr, overlap`."""

    events: int
    systems: dict[str, WrittenScores]
    published: PublishedFigures = WIKIGENBENCH


def bench_wikigen(
    events: str | Path,
    documents: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: WikigenOptions | None = None,
    on_row: Progress | None = None,
) -> WikigenReport:
    """Writes an article about each event from its pages, by each system and reranker, and scores it.

    The folder `out` gets a folder for each pair, and the report. The same call continues an interrupted run.
    Raises `InputError` for missing data, and `SettingsError` for a system that needs a language model,
    before anything is spent.
    """
    settings, options = settings or Settings(), options or WikigenOptions()
    rows = events_of(Path(events), Path(documents))
    rerankers = options.rerankers or (settings.reranker,)
    pairs = list(product(dict.fromkeys(options.systems), dict.fromkeys(rerankers)))
    chosen = {pair: _settings_of(pair[0], pair[1], settings) for pair in pairs}
    systems = {
        ", ".join(pair): scores_of(
            _written(rows, Path(out) / judge_folder("-".join(pair)), pair, chosen[pair], options, on_row)
        )
        for pair in pairs
    }
    report = WikigenReport(events=len(rows), systems=systems)
    write_report(Path(out), report)
    return report


def _settings_of(system: str, reranker: str, settings: Settings) -> Settings:
    """Returns the settings of one system. Raises `SettingsError` if it lacks its language model."""
    if system not in SYSTEMS:
        raise InputError(f"system {system!r} is unknown: give {', '.join(SYSTEMS)}")
    if system != "extractive" and settings.model in EMBEDDED:
        raise SettingsError(f"system {system} needs a language model: name it with model (--model)")
    changed: dict[str, Any] = {"plan": system != "rr", "trace": False, "search": EventPages((), 256)}
    if system == "extractive":
        changed |= {"model": settings.model if settings.model in EMBEDDED else "embedded"}
    if compared_reranker(reranker) is None:
        changed |= {"reranker": reranker}
    return settings.model_copy(update=changed)


def _written(
    rows: Sequence[WikigenEvent],
    out: Path,
    pair: tuple[str, str],
    settings: Settings,
    options: WikigenOptions,
    on_row: Progress | None,
) -> list[ArticleLine]:
    """Writes the articles that the folder `out` lacks, and returns all lines."""
    made_with = run_inputs(
        digest("\n".join(row.model_dump_json() for row in rows)),
        described(settings.model_copy(update={"search": None}))
        | {"command": "rarr bench wikigen", "pair": list(pair), "given_outline": options.given_outline},
    )
    with run_folder.claimed(out, made_with):
        components = wire(settings)
        if (reranker := compared_reranker(pair[1])) is not None:
            components = replace(components, reranker=reranker)
        run_folder.begin(out, made_with)
        writing = _EventWriter(components, given_outline=options.given_outline)
        return finish_rows(
            rows[: options.limit],
            out,
            ArticleLine,
            of=rows,
            work_on=writing.line,
            result_of=line_itself,
            aclose=Writer(components=components).aclose,
            jobs=options.jobs,
            on_row=on_row,
        )


class _EventWriter:
    """Writes about events with the same models, each from its own pages."""

    def __init__(self, components: Components, *, given_outline: bool) -> None:
        self._components, self._given_outline = components, given_outline

    async def line(self, event: WikigenEvent) -> ArticleLine:
        """Writes and scores one article; the line has an error if nothing could be written."""
        pages = await work(EventPages, event.documents, self._components.settings.chunk_words)
        writer = Writer(components=replace(self._components, retriever=pages))
        outline = event.outline if self._given_outline and event.outline else None
        try:
            article = await writer.awrite(event.title, outline)
            failed = [each.message for each in article.warnings if is_failure(each)]
            if failed and not article.sentences:
                return ArticleLine(id=event.id, error=failed[0])
            return await work(scored, event, article)
        except RarrError as error:
            return ArticleLine(id=event.id, error=str(error))


def scored(event: WikigenEvent, article: Article) -> ArticleLine:
    """Scores an article by its citations, and by the words that it shares with the reference.

    An article without a sentence has no citation scores.
    """
    text = "\n\n".join(
        article.research.text[section.start : section.end]
        for section in article.sections
        if section.state == "written"
    )
    judged = bool(article.sentences)
    return ArticleLine(
        id=event.id,
        title=event.title,
        text=article.text,
        sections=sum(section.state == "written" for section in article.sections),
        words=article.words,
        model_calls=article.usage.model_calls,
        seconds=article.usage.seconds,
        as_written=article.as_written if judged else None,
        checked=article.checked if judged else None,
        rouge_l=rouge_l(text, event.reference),
        meteor=meteor(text, event.reference),
    )


def scores_of(lines: Sequence[ArticleLine]) -> WrittenScores:
    """Computes the means over articles. Articles that failed do not count, and are named in `errors`."""
    done = [line for line in lines if not line.error]
    return WrittenScores(
        articles=len(lines),
        as_written=_means([line.as_written for line in done]),
        checked=_means([line.checked for line in done]),
        rouge_l=mean([line.rouge_l for line in done]),
        meteor=mean([line.meteor for line in done]),
        words=mean([float(line.words) for line in done]),
        seconds=mean([line.seconds for line in done]),
        errors=tuple(f"{line.id}: {line.error}" for line in lines if line.error),
    )


def _means(scores: Sequence[CitationScores | None]) -> dict[str, Measured]:
    return {
        name: mean([None if each is None else getattr(each, name) for each in scores]) for name in MEASURES
    }
