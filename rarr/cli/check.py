"""`rarr check`: checks documents against sources, changes nothing, and fails by what it finds."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rarr.cli import graph_options, options, run_options
from rarr.cli.checked_files import found_files, outside, read_document
from rarr.cli.streams import complain, warn, write
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr import Reviser
    from rarr.records.document_checks import DocumentChecks, FailOn


def check(
    files: options.CheckedFiles,
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    include_domain: options.IncludeDomain = None,
    exclude_domain: options.ExcludeDomain = None,
    offline: options.Offline = False,
    refresh: options.Refresh = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    fail_on: options.FailOn = None,
    form: options.CheckFormat = "text",
    out: options.CheckOut = None,
    jobs: options.DocumentJobs = 4,
) -> int:
    """Check documents against a source of truth, and change nothing.

    FILE is a text or Markdown file, a folder with such files, or a pattern such as "docs/**/*.md". Prints the
    sentences that sources contradict or do not confirm, with line and column (from 1; columns in Unicode
    characters), and what the source says. A contradicted sentence always fails. Exit status: 0 nothing
    fails; 1 a sentence fails; 2 the call is wrong; 3 nothing fails, but a file could not be judged, or not
    completely.

    \b
    Examples:
      rarr check README.md docs/ --corpus specs/
      rarr check "docs/**/*.md" --corpus specs.index --fail-on unconfirmed
      rarr check docs/ --corpus specs/ --format github
      rarr check docs/ --corpus specs/ --format sarif -o rarr.sarif
    """
    given = run_options.of_run(locals(), include_domains=include_domain, exclude_domains=exclude_domain)
    statuses = _statuses(fail_on or [])
    documents = found_files(files)
    _require_writable(out, documents)
    checks = _checked(documents, given, statuses, jobs)
    _put(_shown(checks, form, terminal=out is None and sys.stdout.isatty()), out)
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
    from rarr import Reviser
    from rarr.agent.wiring.search_and_reranking import search_names
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings(**chosen)
    files = outside(found, settings.corpus if "corpus" in search_names(settings) else None)
    if inside := len(found) - len(files):
        warn(f"{counted(inside, 'file')} left out as part of the corpus, where each would confirm itself")
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        done = _CheckProgress(waiting.say, len(files))
        with Reviser(settings, on_step=done.step, on_index=waiting.indexed) as reviser:
            return _documents(reviser, files, fail_on, jobs, done)


class _CheckProgress:
    """Says how many files are done, and which node has finished last."""

    def __init__(self, say: Any, total: int) -> None:
        self._say, self._total, self._done, self._node = say, total, 0, "starting"

    def step(self, node: str) -> None:
        self._node = node.replace("_", " ")
        self._tell()

    def file(self) -> None:
        self._done += 1
        self._tell()

    def _tell(self) -> None:
        self._say(f"{self._done} of {counted(self._total, 'file')}: {self._node}")


def _documents(
    reviser: "Reviser",
    files: Sequence[Path],
    fail_on: "Sequence[FailOn]",
    jobs: int,
    progress: _CheckProgress,
) -> "DocumentChecks":
    from rarr.agent.documents.document_check import check_documents
    from rarr.tools.concurrency import run

    documents = [read_document(file) for file in files]
    return run(check_documents(reviser, documents, fail_on, jobs=jobs, on_done=progress.file))


def _shown(checks: "DocumentChecks", form: str, *, terminal: bool) -> str:
    if form == "github":
        from rarr.views.ci.github_annotations import github_annotations

        return github_annotations(checks)
    if form == "sarif":
        from rarr.cli.doctor import installed
        from rarr.views.ci.sarif import sarif
        from rarr.views.terminal.revision import as_json

        return as_json(sarif(checks, installed("rarr") or ""))
    if form == "json":
        from rarr.views.terminal.revision import as_json

        return as_json(checks)
    from rarr.views.terminal.document_checks import document_checks_text

    return document_checks_text(checks, terminal=terminal)


def _require_writable(out: Path | None, files: Sequence[Path]) -> None:
    if out is None:
        return
    if out.exists() and any(file.exists() and file.samefile(out) for file in files):
        raise InputError(f"-o {out} would replace a file that is checked: name another file")
    if out.is_dir():
        raise InputError(f"{out} is a folder: name a file with -o")
    if not out.parent.is_dir():
        raise InputError(f"the folder {out.parent} of {out} does not exist: make it, or name another with -o")


def _put(text: str, out: Path | None) -> None:
    from rarr.tools.storage.files import write_whole

    if out is None:
        write(text)
        return
    try:
        write_whole(out, text)
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): name another file with -o") from None


def _outcome(checks: "DocumentChecks", *, printed: bool) -> int:
    """Returns the exit status, and says on standard error why it is not 0.

    `printed`: standard output is the table, which has the warnings and what fails.
    """
    from rarr.views.ci.finding_messages import verdict

    for warning in () if printed else checks.warnings:
        warn(warning)
    for document in () if printed else checks.documents:
        for warning in document.warnings:
            warn(f"{document.file}: {warning}")
    if checks.failing:
        return 1 if printed else complain(verdict(checks), 1)
    return complain(verdict(checks), 3) if checks.unjudged else 0
