"""`rarr check`: checks documents against sources, changes nothing, and fails by what it finds."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from rarr.cli import options
from rarr.cli.documents import found_files, outside, read_document
from rarr.cli.streams import complain, require_writable, save, waiting, warn, write
from rarr.errors import InputError
from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from rarr.records.document_checks import DocumentChecks, FailOn


@click.command()
@click.argument("files", nargs=-1, required=True)
@options.settings(*options.RUN)
@click.option(
    "--fail-on", metavar="S", multiple=True, help="Also unconfirmed or no_evidence fails; repeatable."
)
@options.choice("--format", "text github sarif json", "The form of the result.", name="form")
@options.out("FILE", "File for the result, in its format.")
@options.JOBS
def check(
    files: Sequence[str],
    chosen: dict[str, Any],
    fail_on: Sequence[str],
    form: str,
    out: Path | None,
    jobs: int,
) -> int:
    """Check documents against a source of truth.

    Nothing is changed. FILES are texts or Markdown files, folders, or patterns such as "docs/**/*.md". Prints
    the sentences that sources contradict or do not confirm, with line and column (from 1, in Unicode
    characters), and what the source says. Exit status 1: a sentence fails; 3: none fails, but a file could
    not be judged completely.

    \b
    Examples:
      rarr check README.md docs/ --corpus specs/
      rarr check "docs/**/*.md" --corpus specs.index --fail-on unconfirmed
      rarr check docs/ --corpus specs/ --format sarif -o rarr.sarif
    """
    statuses = _statuses(fail_on)
    documents = found_files(files)
    require_writable(out, documents)
    checks = _checked(documents, chosen, statuses, jobs)
    shown = _shown(checks, form, terminal=out is None and sys.stdout.isatty())
    if out is None:
        write(shown)
    else:
        save(out, [shown])
    return _outcome(checks, printed=form == "text" and out is None)


def _statuses(fail_on: Sequence[str]) -> "list[FailOn]":
    from rarr.records.document_checks import FailOn

    known = get_args(FailOn)
    names = [name.strip() for given in fail_on for name in given.split(",")]
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"--fail-on is {unknown[0]!r}: give {', '.join(known[:-1])} or {known[-1]}")
    return [status for status in known if status in names]


def _checked(
    found: Sequence[Path], chosen: dict[str, Any], fail_on: "Sequence[FailOn]", jobs: int
) -> "DocumentChecks":
    from rarr import Reviser, Settings
    from rarr.agent.documents.document_check import check_documents
    from rarr.agent.wiring.search_and_reranking import search_names
    from rarr.tools.concurrency import run

    settings = Settings(**chosen)
    files = outside(found, settings.corpus if "corpus" in search_names(settings) else None)
    if inside := len(found) - len(files):
        warn(f"{counted(inside, 'file')} left out as part of the corpus, where each would confirm itself")
    with waiting() as shown:
        done, total = 0, counted(len(files), "file")

        def on_step(node: str) -> None:
            shown.say(f"{done} of {total}: {node.replace('_', ' ')}")

        def on_done() -> None:
            nonlocal done
            done += 1
            shown.say(f"{done} of {total}")

        with Reviser(settings, on_step=on_step, on_index=shown.indexed) as reviser:
            documents = [read_document(file) for file in files]
            return run(check_documents(reviser, documents, fail_on, jobs=jobs, on_done=on_done))


def _shown(checks: "DocumentChecks", form: str, *, terminal: bool) -> str:
    from rarr.settings import installed_version
    from rarr.views import findings
    from rarr.views.shown_text import as_json

    if form == "github":
        return findings.github_annotations(checks)
    if form == "sarif":
        return as_json(findings.sarif(checks, installed_version()))
    return as_json(checks) if form == "json" else findings.as_text(checks, terminal=terminal)


def _outcome(checks: "DocumentChecks", *, printed: bool) -> int:
    """Returns the exit status, and says on standard error why it is not 0.

    `printed`: standard output is the table, which has the warnings and what fails.
    """
    from rarr.views.findings import verdict

    for warning in () if printed else checks.warnings:
        warn(warning)
    for document in () if printed else checks.documents:
        for warning in document.warnings:
            warn(f"{document.file}: {warning}")
    if checks.failing:
        return 1 if printed else complain(verdict(checks), 1)
    return complain(verdict(checks), 3) if checks.unjudged else 0
