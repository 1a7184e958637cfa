"""`rarr bench`: runs a benchmark of the literature on data that the caller has, and prints its report."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, complain_of_errors, waiting, write_result
from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.settings import Settings

BENCHES = {
    **dict.fromkeys(("rarr", "expertqa", "kalma", "answers", "names", "conflicts"), ("DATA",)),
    "wikigen": ("EVENTS", "DOCS"),
}
"""The modules of `rarr.evals.benchmarks`, each with the files that it reads."""


@click.command()
@click.argument("name", type=click.Choice([*BENCHES]), metavar="NAME")
@click.argument("data", type=options.FILE, nargs=-1, required=True)
@options.out("DIR", "Folder for the run and its report.", required=True)
@click.option(
    "--judge", "--system", "judges", metavar="J", multiple=True,
    help="A judge or system to measure; repeatable.",
)  # fmt: skip
@options.LIMIT
@options.JOBS
@options.JSON
@options.settings("corpus", "search", "model", "base_url")
def bench(
    name: str, data: Sequence[Path], out: Path, judges: tuple[str, ...], settings: "Settings", **rows: Any
) -> int:
    """Measure judges, readers, searches and writers as papers do.

    The rows have a fixed random order, so that --limit draws a sample. The same call continues an interrupted
    run. Reports print published figures beside the measured ones. NAME is:

    rarr: revises texts by RARR, its baselines and the default (Gao et al. 2023). DATA has lines {"text"} or
    {"question"}, maybe "context", "evidence" and "revised" (by a person). The model writes the text of a
    question. Systems: default, rarr, efec, lamda, unedited, and the ablations "rarr without gate", "rarr by
    text", "rarr by sentences", "rarr without wikipedia".

    expertqa: judges claims of six systems that experts labelled, in dev/attribution of DATA. A judge is
    embedded, nli:NAME or a model. Prints AutoAIS and the agreement with the experts by system and field.

    kalma: answers the questions of BioKaLMA that have a graph (dev/kg in DATA) and as many evolved over these
    graphs, and measures the citations.

    wikigen: writes articles about EVENTS from the pages in DOCS, both JSON lines, and scores citations.
    System prr plans and writes with a language model, extractive (the default) needs none.

    answers: measures how well scores of answers agree with people's ratings (MOCHA, EVOUNA). DATA has lines
    {"question", "answer", "references", "score"}; a score is 0 to 1, or true or false.

    names: measures whether a search tells apart things that share a name (AmbER sets). DATA has lines "id",
    "name", "aliases", "properties" (values by name), "popularity", and "documents" as the corpus names them.

    conflicts: measures whether a model follows its evidence or its memory (Longpre et al. 2021). DATA has
    lines {"question", "answers", "passage"}, maybe "title". In each passage the answer of
    another row of the same type replaces its own, or by another form of the same answer (alias: no conflict).

    \b
    Examples:
      rarr bench expertqa data/ -o expertqa --judge nli:NAME
      rarr bench wikigen events.jsonl docs.jsonl -o scores --system extractive
    """
    from rarr.evals.benchmarks.bench import Options, run_bench
    from rarr.views.report_tables import as_tables

    if len(data) != len(wanted := BENCHES[name]):
        raise InputError(f"{name} reads {counted(len(wanted), 'path')}: give {' and '.join(wanted)}")
    asked, module = Options(judges=judges, **rows), import_module(f"rarr.evals.benchmarks.{name}")
    with waiting() as shown:
        made = getattr(module, name)(*data, settings, asked)
        report = run_bench(made, out, settings, asked, shown.rows)
    write_result(report, lambda: as_tables(report, out))
    if report.failed:
        cure = "see rarr doctor" if report.errors else "it has no label for any of them: give another --judge"
        return complain(f"{', '.join(report.failed)}: nothing could be judged: {cure}", 3)
    return complain_of_errors(report.errors, "row", all_failed=False)
