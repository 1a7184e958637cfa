"""`rarr bench`: runs a benchmark of the literature on data that the caller has, and prints its report."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from rarr.cli import options
from rarr.cli.streams import complain, waiting, warn_of_each, write_result
from rarr.errors import BudgetError, ModelError, RetrievalError
from rarr.tools.text.wording import counted


@click.group()
def bench() -> None:
    """Measure judges, readers, searches and writers as papers do.

    The rows have a fixed random order, so that --limit draws a sample. The same call continues an interrupted
    run. Reports print published figures beside the measured ones.
    """


class _Bench(NamedTuple):
    """A bench of `rarr.evals.benchmarks`: the data that it reads, its help, and its options."""

    paths: tuple[str, ...]
    help: str
    settings: tuple[str, ...] = ("model", "base_url")
    more: tuple[options.Option[Any], ...] = ()


_JUDGE = click.option(
    "--judge", "judges", metavar="M", multiple=True,
    help="A judge: embedded, nli:NAME, or a model; repeatable.",
)  # fmt: skip
_SYSTEM = click.option(
    "--system", "judges", metavar="S", multiple=True, help="prr or extractive, the default; repeatable."
)
_REVISED_BY = click.option(
    "--system", "judges", metavar="S", multiple=True, help="A system; repeatable. Without it: the first five."
)
BENCHES = {
    "rarr": _Bench(
        ("DATA",),
        """Revise texts by RARR, its baselines and rarr's default, and compare them (Gao et al. 2023).

        DATA has lines {"text"} or {"question"}, maybe "context", "evidence" and "revised" (by a person). The
        model writes the text of a question. Systems: default, rarr, efec, lamda, unedited, and the ablations
        "rarr without gate", "rarr by text", "rarr by sentences", "rarr without wikipedia".
        """,
        settings=("corpus", "search", "model", "base_url"),
        more=(_REVISED_BY,),
    ),
    "expertqa": _Bench(
        ("DATA",),
        """Judge claims of six systems that experts labelled, as ExpertQA does.

        Reads dev/attribution in DATA. Prints AutoAIS and the agreement with the experts by system and field.
        """,
        settings=("base_url",),
        more=(_JUDGE,),
    ),
    "kalma": _Bench(
        ("DATA",),
        """Answer questions over graphs and measure the citations, as KaLMA does.

        Reads the questions of BioKaLMA that have a graph (dev/kg in DATA), and evolves as many over these
        graphs, whose minimum knowledge is known.
        """,
    ),
    "wikigen": _Bench(
        ("EVENTS", "DOCS"),
        """Write articles about EVENTS from the pages in DOCS, and score citations, as WikiGenBench does.

        Both are JSON lines. prr plans and writes with a language model, extractive needs none.
        """,
        more=(_SYSTEM,),
    ),
    "answers": _Bench(
        ("RATED",),
        """Measure how well scores of answers agree with people's ratings (MOCHA, EVOUNA).

        RATED has lines {"question", "answer", "references", "score"}; a score is 0 to 1, or true or false.
        """,
    ),
    "names": _Bench(
        ("THINGS",),
        """Measure whether a search tells apart THINGS that share a name (AmbER sets).

        THINGS are JSON lines: "id", "name", "aliases", "properties" (values by name), "popularity", and
        "documents" as the corpus names them.
        """,
        settings=("corpus",),
    ),
    "conflicts": _Bench(
        ("QUESTIONS",),
        """Measure whether a model follows its evidence or its memory (Longpre et al. 2021).

        QUESTIONS has lines {"question", "answers", "passage"}, maybe "title". The answer in each passage is
        replaced: by that of another row of the same type (corpus), or by another form of the same answer
        (alias: no conflict). The sentence with the old answer is revised by the changed passage. Prints the
        memorisation ratio: memory of memory and evidence.
        """,
    ),
}


def _command(name: str, declared: _Bench) -> click.Command:
    def call(**arguments: Any) -> int:
        paths = [arguments.pop(path.lower()) for path in declared.paths]
        return _run(name, paths, **arguments)

    call.__doc__ = declared.help
    command = options.settings(*declared.settings)(call)
    for option in (options.JSON, options.JOBS, options.LIMIT, *declared.more):
        command = option(command)
    command = options.out("DIR", "Folder for the run and its report.", required=True)(command)
    for path in reversed(declared.paths):
        command = click.argument(path.lower(), metavar=path, type=options.FILE)(command)
    return click.command(name)(command)


for _name, _declared in BENCHES.items():
    bench.add_command(_command(_name, _declared))


def _run(
    name: str,
    paths: Sequence[Path],
    *,
    out: Path,
    chosen: dict[str, Any],
    as_json: bool,
    judges: Sequence[str] = (),
    limit: int | None,
    jobs: int,
) -> int:
    """Runs a benchmark, and prints its report and a line for each row with an error."""
    from rarr.evals.benchmarks.bench import Options, run_bench
    from rarr.settings import Settings
    from rarr.views.report_tables import as_tables

    settings, asked = Settings(**chosen), Options(judges=tuple(judges), limit=limit, jobs=jobs)
    module = import_module(f"rarr.evals.benchmarks.{name}")
    try:
        with waiting() as shown:
            made = getattr(module, name)(*paths, settings, asked)
            report = run_bench(made, out, settings, asked, shown.rows)
    except (ModelError, BudgetError, RetrievalError) as error:
        return complain(f"{error}: see rarr doctor, and run again", 3)
    write_result(report, lambda: as_tables(report, out), as_json=as_json)
    warn_of_each(report.errors)
    if report.failed:
        cure = "see rarr doctor" if report.errors else "it has no label for any of them: give another --judge"
        return complain(f"{', '.join(report.failed)}: nothing could be judged: {cure}", 3)
    if not report.errors:
        return 0
    cure = "correct the cause, and run again, which repeats these rows"
    return complain(f"{counted(len(report.errors), 'row')} with an error, not judged: {cure}", 2)
