"""`rarr bench names` and `name-sets`: things that share a name."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.cli import name_options, options
from rarr.cli.streams import complain_of_errors, write, write_report
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.evals.namesakes.records import NameSet, Task
    from rarr.settings import Settings


def names(
    *,
    sets: name_options.NameSets,
    out: name_options.NamesOut,
    corpus: options.Corpus = None,
    search: options.Search = None,
    reranker: name_options.Rerankers = None,
    task: name_options.NameTasks = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    no_edits: name_options.NoEdits = False,
    limit: name_options.NameLimit = None,
    jobs: options.Jobs = 4,
    as_json: options.Json = False,
) -> int:
    """Measure whether a search and a revision tell apart things that share a name.

    SETS are queries that `rarr bench name-sets` made, or a list of things as it takes. Asks the search for
    each query, alone and with each reranker. Prints how often the first document is about the right thing,
    for the best known thing of a name (head) and the others (tails), and how often another thing of the name
    stands above it. Then revises each false claim twice: with the corpus without the pages of its subject,
    where any change is an error, and with the whole corpus. DIR gets report.json and what became of each
    claim. If the run was interrupted, the same call continues it. Only --search wikipedia sends the names to
    Wikipedia. Exit status: 0 done; 2 the call or SETS is wrong, the search fails, or a claim has an error; 3
    no claim could be judged.

    \b
    Examples:
      rarr bench names entities.jsonl --corpus docs/ -o scores
      rarr bench names sets.jsonl --corpus docs/ -o searches --reranker overlap --task qa --no-edits
    """
    from rarr.evals.namesakes.benchmark import bench_names
    from rarr.evals.namesakes.names_worker import NamesOptions
    from rarr.views.terminal.namesake_tables import names_text
    from rarr.views.terminal.progress_line import Waiting

    settings = _settings(corpus=corpus, search=search, model=model, base_url=base_url)
    chosen = NamesOptions(
        rerankers=tuple(reranker or NamesOptions().rerankers),
        tasks=_tasks(task),
        edits=not no_edits,
        limit=limit,
        jobs=jobs,
    )
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = bench_names(
            _sets(sets, settings, chosen.tasks),
            out,
            settings=settings,
            options=chosen,
            on_row=waiting.rows,
        )
    write_report(report, names_text(report, revised=not no_edits), out, as_json=as_json)
    return complain_of_errors(report.errors, of=report.claims, rows="claim")


def name_sets(
    entities: name_options.Entities,
    out: name_options.NameSetsOut,
    corpus: options.Corpus = None,
    task: name_options.NameTasks = None,
    seed: name_options.NameSeed = 0,
) -> int:
    """Make queries about things that share a name, for `rarr bench names`.

    ENTITIES is a list of things as JSON lines: "id", "name", "aliases", "types", "properties" (values by
    name), "popularity", and "documents" as the corpus names them. Each query has its
    answer in the opening of a document, and no other thing of the name has its property.

    \b
    Examples:
      rarr bench name-sets entities.jsonl --corpus docs/ -o sets.jsonl
      rarr bench name-sets entities.jsonl --corpus docs/ -o sets.jsonl --seed 3
    """
    from rarr.evals.namesakes.records import write_sets

    made = _made(entities, _settings(corpus=corpus), _tasks(task), seed)
    write_sets(out, made)
    queries = sum(len(each.queries) for each in made)
    write(f"{out}: {counted(len(made), 'name')}, {counted(queries, 'query')}\n")
    return 0


def _sets(sets: Path, settings: "Settings", tasks: tuple["Task", ...]) -> list["NameSet"]:
    from rarr.evals.namesakes.records import holds_entities, read_sets

    if holds_entities(sets):
        return _made(sets, settings, tasks, seed=0)
    return read_sets(sets)


def _made(entities: Path, settings: "Settings", tasks: tuple["Task", ...], seed: int) -> list["NameSet"]:
    """Makes the sets of a list of things. Raises `InputError` if there are none."""
    from rarr.evals.namesakes.corpus_documents import corpus_documents
    from rarr.evals.namesakes.records import read_entities
    from rarr.evals.namesakes.set_generation import name_sets as sets_of

    if settings.corpus is None:
        raise InputError("no corpus: give --corpus PATH, the documents of the entities")
    documents = corpus_documents(settings.corpus, settings.max_file_mb)
    texts = {document.name: document.text for document in documents}
    made = sets_of(read_entities(entities), texts, tasks=tasks, seed=seed)
    if not made:
        raise InputError(
            "no name makes a set: two things of a name need different properties that their openings state,"
            " and different popularity"
        )
    return made


def _tasks(given: Sequence[str] | None) -> tuple["Task", ...]:
    from rarr.evals.namesakes.records import TASKS

    if unknown := [task for task in given or () if task not in TASKS]:
        raise InputError(f"--task {unknown[0]!r} is unknown: give {', '.join(TASKS)}")
    return tuple(task for task in TASKS if not given or task in given)


def _settings(**given: str | None) -> "Settings":
    from rarr.settings import Settings

    return Settings(**options.given(**given))
