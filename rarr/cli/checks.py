"""The commands that change nothing: `rarr check` for documents in CI, and `rarr verify` for claims."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from rarr.cli import options, streams
from rarr.cli.documents import found_files, outside, passages_of, read_document
from rarr.errors import InputError
from rarr.tools.text.wording import grouped

if TYPE_CHECKING:
    from rarr.evals.verified_claims import VerificationReport
    from rarr.records.document_checks import DocumentChecks
    from rarr.records.verification import Verification
    from rarr.settings import Settings


@click.command()
@click.argument("files", nargs=-1, required=True)
@options.settings(*options.RUN)
@options.one("--fail-on", "S", "Also unconfirmed or no_evidence fails; repeatable.", multiple=True)
@options.choice("--format", "text github sarif json", "The form of the result.", name="form")
@options.out("FILE", "File for the result, in its format.")
@options.JOBS
def check(
    files: Sequence[str], settings: "Settings", fail_on: Sequence[str], form: str, out: Path | None, jobs: int
) -> int:
    """Check documents against a source of truth.

    Nothing is changed. FILES are texts or Markdown files, or folders of them. Prints the sentences that
    sources contradict or do not confirm, with line and column (from 1, in Unicode characters), and what the
    source says. Exit status 1: a sentence fails; 3: none fails, but a file could
    not be judged completely.

    \b
    Examples:
      rarr check README.md docs/ --corpus specs/
      rarr check docs/ --corpus specs/ --format sarif -o rarr.sarif
    """
    from rarr.records.document_checks import FailOn
    from rarr.settings import installed_version
    from rarr.views import findings
    from rarr.views.shown_text import as_json

    known = get_args(FailOn)
    names = [name.strip() for given in fail_on for name in given.split(",")]
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"--fail-on is {unknown[0]!r}: give {', '.join(known[:-1])} or {known[-1]}")
    documents = found_files(files)
    streams.require_writable(out, documents)
    checks = _checked(documents, settings, [status for status in known if status in names], jobs)
    printed = form == "text" and out is None
    result = {
        "text": lambda: findings.as_text(checks, terminal=printed and sys.stdout.isatty()),
        "github": lambda: findings.github_annotations(checks),
        "sarif": lambda: as_json(findings.sarif(checks, installed_version())),
        "json": lambda: as_json(checks),
    }[form]()
    if out is None:
        streams.write(result)
    else:
        streams.save(out, [result])
    verdict = findings.verdict(checks)
    if not printed:  # the printed table has the warnings and what fails
        streams.warn(*checks.warnings)
        streams.warn(*(f"{each.file}: {warning}" for each in checks.documents for warning in each.warnings))
    if checks.failing:
        return 1 if printed else streams.complain(verdict, 1)
    return streams.complain(verdict, 3) if checks.unjudged else 0


def _checked(found: list[Path], settings: "Settings", fail_on: Any, jobs: int) -> "DocumentChecks":
    from rarr import Reviser
    from rarr.agent.check import check_documents
    from rarr.agent.wiring.sources import search_names
    from rarr.tools.concurrency import run

    searched = settings.corpus if "corpus" in search_names(settings) else None
    files = found if searched is None else outside(found, searched)
    with streams.waiting() as shown, Reviser(settings, on_step=shown.step, on_index=shown.indexed) as reviser:
        documents = [read_document(file) for file in files]
        return run(check_documents(reviser, documents, fail_on, jobs=jobs, on_done=shown.one_of(len(files))))


@click.command()
@click.argument("claim", metavar="CLAIM|DATA")
@options.files("--against", "A text or document to verify the claim against; repeatable.")
@options.one("--context", "C", "The question that the claim answers.")
@options.settings(*options.MODELS, "deadline_s")
@options.one("--judge", "M", "Ask this judge instead: nli:NAME, or a language model.")
@options.out("DIR", "Folder for the verified claims of DATA.")
@options.LIMIT
@options.JOBS
@options.JSON
def verify(
    claim: str, against: Sequence[Path], context: str | None, settings: "Settings", judge: str | None,
    out: Path | None, limit: int | None, jobs: int,
) -> int:  # fmt: skip
    """Decide whether evidence supports a claim.

    With -o, decides for each claim of the file DATA. A claim is attributable, extrapolatory (the evidence
    does not tell) or contradictory. Without a language model, only near quotations are decided. DATA has an
    object a line: "claim", "evidence" (a text, or a list of texts and of objects with "text" and "title"),
    optionally "id", "question", "label" (one of the three) or "supported" (true or false). DIR gets
    predictions.jsonl and report.json, with scores if rows have labels. The same call continues an interrupted
    run. Exit status 1: a claim is contradictory; in DATA with labels, where the run measures the judge, it is
    0.

    \b
    Examples:
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr verify claims.jsonl -o verified --model openai:gpt-5-mini
    """
    if (not against) == (out is None):
        raise InputError("give --against FILE for one claim, or -o DIR for the claims of a file")
    if out is None and limit is not None:
        raise InputError("--limit belongs to the claims of a file: leave it out, or give -o DIR")
    if out is not None and context is not None:
        raise InputError('--context belongs to one claim: give the rows of DATA a "question"')
    if judge is not None:
        settings = settings.model_copy(update={"models": settings.models | {"attribute": judge}})
    if out is None:
        text = streams.argument_text(claim, "CLAIM", "give the claim in quotes, or the file with -o DIR")
        return _verify_claim(text, against, streams.optional_text(context, "--context"), settings)
    from rarr.evals.verified_claims import verify_claims
    from rarr.views.report_tables import as_tables

    with streams.waiting() as shown:
        more: dict[str, Any] = {"limit": limit, "jobs": jobs, "on_row": shown.rows}
        report = verify_claims(Path(claim), out, settings=settings, **more)
    streams.write_result(report, lambda: as_tables(report, out))
    return _data_outcome(report)


def _verify_claim(claim: str, files: Sequence[Path], context: str | None, settings: "Settings") -> int:
    """Verifies one claim. Returns 3 if it could not be judged, 1 if it is contradictory, else 0."""
    from rarr.agent.verify import verifier_of
    from rarr.views.revision_text import verification_text

    passages = [*passages_of(files, settings.max_file_mb)]
    with streams.waiting(), verifier_of(settings) as verifier:
        verified: Verification = verifier.verify(claim, passages, context)
    streams.write_result(verified, lambda: verification_text(verified))
    lines = grouped(verified.warnings)
    if verified.label is None:
        why = lines[0] if lines else "the claim has no sentence that the judge can read"
        return streams.complain(f"nothing could be judged: {why}", 3)
    streams.warn(*lines)
    return int(verified.label == "contradictory")


def _data_outcome(report: "VerificationReport") -> int:
    """Returns the exit status of the worst problem: 3, 2, 1 or 0. Prints one line for each problem."""
    from rarr.agent.verify import READS_MORE

    if report.reader == "embedded" and any(row.label == "extrapolatory" for row in report.rows):
        streams.warn(f"{READS_MORE.code}: {READS_MORE.message}")
    status = streams.complain_of_rows(report, "claim")
    if not status and all(row.label is None for row in report.rows):
        return streams.complain("no claim could be judged: predictions.jsonl has the warnings", 3)
    measured = any(row.supported is not None for row in report.rows)
    return status or int(not measured and any(row.label == "contradictory" for row in report.rows))
