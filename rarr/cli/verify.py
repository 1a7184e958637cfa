"""`rarr verify`: decides whether evidence supports a claim, or all claims of a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.documents import passages_of
from rarr.cli.streams import (
    argument_text,
    complain,
    complain_of_errors,
    complain_of_lines,
    decoded,
    waiting,
    warn,
    write,
)
from rarr.errors import InputError, RetrievalError

if TYPE_CHECKING:
    from rarr.evals.verified_claims import VerificationReport
    from rarr.records.verification import Verification
    from rarr.settings import Settings


@click.command()
@click.argument("claim", metavar="CLAIM|DATA")
@options.files("--against", "A text or document to verify the claim against; repeatable.")
@click.option("--question", metavar="Q", help="The question that the claim answers.")
@options.settings(options.GRAPH, *options.MODELS, options.DEADLINE)
@click.option("--judge", metavar="M", help="Ask this judge instead: nli:NAME, or a language model.")
@options.WORDING
@options.out("DIR", "Folder for the verified claims of DATA.")
@options.LIMIT
@options.JOBS
@options.JSON
def verify(
    claim: str,
    against: Sequence[Path],
    question: str | None,
    chosen: dict[str, Any],
    judge: str | None,
    wording: str | None,
    out: Path | None,
    as_json: bool,
    **rows: Any,
) -> int:
    """Decide whether evidence supports a claim.

    With -o, decides for each claim of the file DATA. A claim is attributable, extrapolatory (the evidence
    does not tell) or contradictory. Without a language model, only near quotations are decided. --graph
    searches a graph instead of files, or after them. DATA has an object a line: "claim", "evidence" (a text,
    or a list of texts and of objects with "text" and "title"), optionally "id", "question", "label" (one of
    the three) or "supported" (true or false). DIR gets predictions.jsonl and report.json, with scores if rows
    have labels. The same call continues an interrupted run. Exit status 1: a claim is contradictory; in DATA
    with labels, where the run measures the judge, it is 0.

    \b
    Examples:
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr verify "In 1867." --question "When did the US buy Alaska?" --against alaska.pdf --json
      rarr verify claims.jsonl -o verified --model openai:gpt-5-mini
    """
    from rarr.settings import Settings

    graph = "graph" in chosen
    if (not against and not graph) == (out is None):
        raise InputError("give --against FILE or --graph F for one claim, or -o DIR for the claims of a file")
    settings = Settings(**chosen, **options.given(judge_wording=wording))
    if judge is not None:
        settings = settings.model_copy(update={"models": settings.models | {"attribute": judge}})
    if out is not None:
        if question is not None:
            raise InputError('--question belongs to one claim: give the rows of DATA a "question"')
        return _verify_data(Path(claim), out, settings, as_json=as_json, **rows)
    if rows["limit"] is not None:
        raise InputError("--limit belongs to the claims of a file: leave it out, or give -o DIR")
    asked = None if question is None else decoded(question, "--question")
    text = argument_text(claim, "CLAIM", "give the claim in quotes, or the file with -o DIR")
    return _verify_claim(text, against, asked, settings, searched=graph, as_json=as_json)


def _verify_claim(
    claim: str,
    files: Sequence[Path],
    question: str | None,
    settings: "Settings",
    *,
    searched: bool,
    as_json: bool,
) -> int:
    from rarr import ClaimVerifier, Reviser
    from rarr.agent.evidence_search import verify_by_search
    from rarr.tools.concurrency import run
    from rarr.views.revision_text import verification_text
    from rarr.views.shown_text import as_json as json_of

    passages = [passage for file in files for passage in passages_of(file, settings.max_file_mb)]
    try:
        with waiting(), ClaimVerifier(settings) as verifier:
            if searched:
                sources = settings.model_copy(update={"search": None, "corpus": None})
                with Reviser(sources) as reviser:
                    verified = run(verify_by_search(reviser, verifier, claim, question, passages))
            else:
                verified = verifier.verify(claim, passages, question)
    except RetrievalError as error:
        return complain(f"nothing could be judged: {error}", 3)
    write(json_of(verified) if as_json else verification_text(verified))
    return _claim_outcome(verified)


def _claim_outcome(verification: "Verification") -> int:
    """Returns 3, with a line why, if the claim could not be judged, 1 if it is contradictory, else 0."""
    from rarr.tools.text.wording import grouped

    lines = grouped(verification.warnings)
    if verification.label is None:
        why = lines[0] if lines else "the claim has no sentence that the judge can read"
        return complain(f"nothing could be judged: {why}", 3)
    for line in lines:
        warn(line)
    return 1 if verification.label == "contradictory" else 0


def _verify_data(data: Path, out: Path, settings: "Settings", *, as_json: bool, **rows: Any) -> int:
    from rarr.evals.verified_claims import verify_claims
    from rarr.views.report_tables import print_of

    with waiting() as shown:
        report = verify_claims(data, out, settings=settings, **rows, on_row=shown.rows)
    write(print_of(report, out, as_json=as_json))
    return _data_outcome(report)


def _data_outcome(report: "VerificationReport") -> int:
    """Returns the exit status of the worst problem: 3, 2, 1 or 0. Prints one line for each problem."""
    from rarr.agent.claim_verification import READS_MORE

    if report.reader == "embedded" and any(row.label == "extrapolatory" for row in report.rows):
        warn(f"{READS_MORE.code}: {READS_MORE.message}")
    left_out = complain_of_lines([(each.line, each.reason) for each in report.unreadable], report.data)
    errors = [f"claim {row.id!r} has an error: {row.error}" for row in report.rows if row.error]
    failed = complain_of_errors(errors, rows=len(report.rows), noun="claim")
    if not failed and all(row.label is None for row in report.rows):
        failed = complain("no claim could be judged: predictions.jsonl has the warnings", 3)
    measured = any(row.supported is not None for row in report.rows)
    found = not measured and any(row.label == "contradictory" for row in report.rows)
    return max(failed, left_out) or int(found)
