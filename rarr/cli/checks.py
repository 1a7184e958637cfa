"""The commands that change nothing: `rarr check` for documents in CI, and `rarr verify` for claims."""

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options, streams
from rarr.errors import InputError
from rarr.tools.text.wording import counted, safe_text as visible, warning_lines

if TYPE_CHECKING:
    from rarr.agent.check import DocumentFile
    from rarr.records import Verification
    from rarr.settings import Settings

_FORMATS = click.Choice(["text", "github", "sarif", "json"])
_FAIL_ON: dict[str, Any] = {"multiple": True, "type": click.Choice(["unconfirmed", "no_evidence"])}
SUFFIXES = (".md", ".markdown", ".txt", ".text")
"""The extensions of the files that are checked in a folder. A file named by the user may have any."""


@click.command()
@click.argument("files", nargs=-1, required=True)
@options.setting_options(*options.RUN_SETTINGS)
@options.option("--fail-on", "S", "Also fails: unconfirmed or no_evidence; repeatable.", **_FAIL_ON)
@click.option("--format", "form", type=_FORMATS, default="text", help="The form of the result.")
@options.out_option("FILE", "File for the result, in its format.")
@options.JOBS
def check(
    files: Sequence[str], settings: "Settings", fail_on: Sequence[Any], form: str, out: Path | None, jobs: int
) -> int:
    """Check documents against a source of truth.

    Nothing is changed. FILES are texts or Markdown files, or folders of them. Prints the sentences that
    sources contradict or do not confirm, with line and column (from 1, in Unicode characters), and what the
    source says. Exit status 1: a sentence fails; 3: a file could not be judged completely.

    \b
    Examples:
      rarr check README.md docs/ --corpus specs/
      rarr check docs/ --corpus specs/ --format sarif -o rarr.sarif
    """
    from rarr import Reviser
    from rarr.agent.check import check_documents
    from rarr.settings import VERSION
    from rarr.tools.concurrency import run
    from rarr.views import findings
    from rarr.views.shown_text import as_json

    found = files_to_check(files)
    streams.require_not_an_input(out, found)
    left = _files_outside_corpus(found, settings)
    documents, done, total = [read_document(file) for file in left], count(1), len(left)
    if not any(it.text.strip() or it.unreadable for it in documents):
        raise InputError(f"no file to check has text ({visible(str(left[0]))} is empty): give a sentence")
    with (
        streams.show_progress() as line,
        Reviser(settings, on_step=line.show_step, on_index=line.show_files) as reviser,
    ):
        how: dict[str, Any] = {"jobs": jobs, "on_done": lambda: line.show_rows(next(done), total, 0, "file")}
        checks = run(check_documents(reviser, documents, fail_on, **how))
    printed = form == "text" and out is None
    result = {
        "text": lambda: findings.findings_text(checks, terminal=printed and sys.stdout.isatty()),
        "github": lambda: findings.github_annotations(checks),
        "sarif": lambda: as_json(findings.sarif_log(checks, VERSION)),
        "json": lambda: as_json(checks),
    }[form]()
    streams.write(result, out)
    verdict = findings.outcome_line(checks)
    if not printed:  # the printed text has the warnings and the failed sentences
        streams.warn(*checks.warnings)
        streams.warn(*(f"{each.file}: {warning}" for each in checks.documents for warning in each.warnings))
    if checks.failing:
        return 1 if printed else streams.complain(verdict, 1)
    return streams.complain(verdict, 3) if checks.unjudged else 0


def files_to_check(names: Sequence[str]) -> list[Path]:
    """Returns each file in `names`, and each Markdown or text file in the folders in `names`, once.

    Leaves out hidden files and folders in a folder. Raises `InputError` for a name without a file to check.
    """
    found = dict[Path, Path]()
    for name in names:
        exists = os.path.lexists(name)  # not for "", although Path("") is the current folder
        if not (files := [*_files_at(Path(name))] if exists else []):
            why = "holds no document" if exists else "does not exist"
            cure = f"name a file, or a folder with files {', '.join(SUFFIXES)}"
            raise InputError(f"{visible(name) or 'an empty name'} {why}: {cure}")
        found |= {file.resolve(): file for file in files}
    return list(found.values())


def _files_at(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
    for where, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        yield from (Path(where, it) for it in sorted(files) if it[0] != "." and it.lower().endswith(SUFFIXES))


def _files_outside_corpus(files: list[Path], settings: "Settings") -> list[Path]:
    from rarr.agent.wiring.sources import sources_to_search
    from rarr.retrievers.corpus.passage_index import is_index, read_manifest

    if settings.corpus is None or "corpus" not in sources_to_search(settings):
        return files
    root = settings.corpus.expanduser()
    if is_index(root):  # the documents are not in the index, but in the folder that it was built from
        root = Path(read_manifest(root).shown or root)
    left = [file for file in files if not file.resolve().is_relative_to(root.resolve())]
    if not left:
        why = f"all files to check are part of the corpus {settings.corpus}, where each would confirm itself"
        raise InputError(f"{why}: name a corpus without them, or other files")
    if inside := len(files) - len(left):
        streams.warn(f"{counted(inside, 'file')} left out as part of the corpus: each would confirm itself")
    return left


def read_document(file: Path) -> "DocumentFile":
    """Reads a file to check, as UTF-8. If reading fails, the field `unreadable` of the result says why."""
    from rarr.agent.check import DocumentFile

    try:
        return DocumentFile(file.as_posix(), streams.decode_utf8(file.read_bytes(), "the file"))
    except (OSError, InputError) as error:
        why = str(error) if isinstance(error, InputError) else f"the file cannot be read ({error.strerror})"
        return DocumentFile(file.as_posix(), unreadable=f"{why}: leave it out, or correct that")


@click.command()
@click.argument("claim", metavar="CLAIM|DATA")
@options.option(
    "--against", "FILE", "A text or document to verify the claim against; repeatable.", **options.MANY_FILES
)
@options.CONTEXT
@options.setting_options(*options.MODEL_SETTINGS, "deadline_s")
@options.option("--judge", "M", "Ask this judge: nli:NAME, attrscore:WORDING or a model.")
@options.out_option("DIR", "Folder for the verified claims of DATA.")
@options.LIMIT
@options.JOBS
@options.JSON
def verify(
    claim: str, against: Sequence[Path], context: str | None, settings: "Settings", judge: str | None,
    out: Path | None, limit: int | None, jobs: int,
) -> int:  # fmt: skip
    """Decide whether evidence supports a claim.

    A claim is attributable, extrapolatory (the evidence does not tell) or contradictory. Without a language
    model, only near quotations are decided. With -o, each claim of the file DATA is decided, an object a
    line: "claim", "evidence" (a text, or a list of texts and objects with "text" and "title"), optionally
    "id", "question", "label" (one of the three) or "supported". DIR gets predictions.jsonl and report.json,
    with scores if rows have labels. The same call continues an interrupted run. Exit status 1: the claim,
    or a claim of a file without labels, is contradictory; 3: no claim could be judged.

    \b
    Examples:
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr verify claims.jsonl -o verified --model openai:gpt-5-mini
    """
    if (not against) == (out is None):
        raise InputError("give --against FILE for one claim, or -o DIR for the claims of a file")
    if (limit is not None) if out is None else (context is not None):
        raise InputError("--limit is for the claims of a file, and --context for one claim: leave it out")
    if judge is not None:
        settings = settings.model_copy(update={"models": settings.models | {"attribute": judge}})
    if out is not None:
        return _verify_file(Path(claim), out, settings, limit=limit, jobs=jobs)
    from rarr.agent.verify import claim_verifier_of
    from rarr.views.revision_text import verification_text

    text = streams.argument_text(claim, "CLAIM", "give the claim in quotes, or the file with -o DIR")
    passages = [*streams.source_passages(against)]
    with streams.show_progress(), claim_verifier_of(settings) as verifier:
        verified: Verification = verifier.verify(text, passages, context)
    streams.write_result(verified, lambda: verification_text(verified))
    lines = warning_lines(verified.warnings)
    if verified.label is None:
        why = lines[0] if lines else "the claim has no sentence that the judge can read"
        return streams.complain(f"nothing could be judged: {why}", 3)
    streams.warn(*lines)
    return int(verified.label == "contradictory")


def _verify_file(data: Path, out: Path, settings: "Settings", **rows: Any) -> int:
    from rarr.agent.verify import NEAR_QUOTATIONS_ONLY
    from rarr.evals.benchmarks import claims
    from rarr.evals.benchmarks.bench import BenchOptions, run_bench

    asked = BenchOptions(**rows)
    with streams.show_progress() as line:
        report = run_bench(claims.verify_bench(data, settings, asked), out, settings, asked, line.show_rows)
    streams.write_tables(report, out)
    if report.failed and not report.errors:
        return streams.complain("no claim could be judged: predictions.jsonl has the warnings", 3)
    if status := streams.complain_of_errors(report.errors, "claim", all_failed=bool(report.failed)):
        return status
    labels = report.tables[claims.LABELS_TITLE]["all"]
    if settings.models.get("attribute", settings.model) == "embedded" and labels["extrapolatory"].value:
        streams.warn(f"{NEAR_QUOTATIONS_ONLY.code}: {NEAR_QUOTATIONS_ONLY.message}")
    return int(not report.counts["judged by people"] and bool(labels["contradictory"].value))
