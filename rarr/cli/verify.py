"""`rarr verify`: decides whether evidence supports a claim, or all claims of a file."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options
from rarr.cli.streams import argument_text, complain, decoded, warn, warn_of_each, write
from rarr.errors import InputError, RetrievalError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.agent.verify import ClaimVerifier
    from rarr.evals.verified_claims import VerificationReport
    from rarr.records import Passage
    from rarr.records.verification import Verification
    from rarr.settings import Settings


def verify(
    claim: options.ClaimOrData,
    against: options.Against = None,
    graph: graph_options.Graph = None,
    question: options.AskedQuestion = None,
    out: options.Verified = None,
    judge: options.Judge = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    jobs: options.ClaimJobs = 4,
    limit: options.ClaimLimit = None,
    as_json: options.Json = False,
) -> int:
    """Decide whether evidence supports a claim.

    With --against, prints for one claim whether the files make it attributable, extrapolatory (they do not
    tell) or contradictory, which words they confirm, and the sentence that decides. A language model reads
    them (--model); without one, only near quotations are decided. --graph searches a graph for the claim,
    instead of files or after them. With -o, does so for the claims of DATA. It has an object a line: "claim",
    "evidence" (a text, or a list of texts and of objects with "text" and "title") and optionally "id",
    "question", "label" (one of the three) or "supported" (true or false). DIR gets predictions.jsonl and
    report.json; with labels, the report has scores. If the run was interrupted, the same call continues it,
    and repeats claims with an error. Exit status: 0 done; 2 the call or a line of DATA is wrong, or a claim
    has an error; 3 nothing could be judged.

    \b
    Examples:
      rarr verify "The Hoover Dam is 221 metres high." --against dam.md
      rarr verify "In 1867." --question "When did the US buy Alaska?" --against alaska.pdf --json
      rarr verify "Ida Lunde was born in 1901." --graph people.csv
      rarr verify claims.jsonl -o verified --model openai:gpt-5-mini
      rarr verify claims.jsonl -o facts --judge vllm:Qwen/Qwen3-8B
    """
    if (not against and graph is None) == (out is None):
        raise InputError(
            "give either --against FILE or --graph F, for one claim, or -o DIR, for the claims of a file"
        )
    given = options.given(
        graph=graph,
        model=model,
        base_url=base_url,
        prompts=prompts,
        max_calls=max_calls,
        deadline_s=deadline,
    )
    settings = _settings(judge, given)
    if out is not None:
        if question is not None:
            raise InputError('--question belongs to one claim: give the rows of DATA a "question"')
        return _verify_data(Path(claim), out, settings, jobs, limit, as_json=as_json)
    if limit is not None:
        raise InputError("--limit belongs to the claims of a file: leave it out, or give -o DIR")
    asked = None if question is None else decoded(question, "--question")
    text = argument_text(claim, "CLAIM", "give the claim in quotes, or the file with -o DIR")
    return _verify_claim(text, against or [], asked, settings, searched=graph is not None, as_json=as_json)


def _settings(judge: str | None, given: dict[str, Any]) -> "Settings":
    from rarr.settings import Settings

    settings = Settings(**given)
    if judge is None:
        return settings
    return settings.model_copy(update={"models": settings.models | {"attribute": judge}})


def _verify_claim(
    claim: str,
    files: Sequence[Path],
    question: str | None,
    settings: "Settings",
    *,
    searched: bool,
    as_json: bool,
) -> int:
    from rarr.agent.verify import ClaimVerifier
    from rarr.views.terminal.progress_line import Waiting
    from rarr.views.terminal.revision import as_json as json_of
    from rarr.views.terminal.verification import verification_text

    passages = [passage for file in files for passage in _passages(file, settings.max_file_mb)]
    try:
        with Waiting(watched=sys.stderr.isatty()), ClaimVerifier(settings) as verifier:
            verification = _verified(verifier, claim, passages, question, settings, searched=searched)
    except RetrievalError as error:
        return complain(f"nothing could be judged: {error}", 3)
    write(json_of(verification) if as_json else verification_text(verification))
    return _claim_outcome(verification)


def _verified(
    verifier: "ClaimVerifier",
    claim: str,
    passages: "Sequence[Passage]",
    question: str | None,
    settings: "Settings",
    *,
    searched: bool,
) -> "Verification":
    """Verifies a claim by the passages and, if `searched`, by what the graph of the settings says of it."""
    if not searched:
        return verifier.verify(claim, passages, question)
    from rarr.agent.evidence_search import verify_by_search
    from rarr.agent.revise import Reviser
    from rarr.tools.concurrency import run

    with Reviser(settings.model_copy(update={"search": None, "corpus": None})) as reviser:
        return run(verify_by_search(reviser, verifier, claim, question, passages))


def _passages(file: Path, max_file_mb: int) -> Iterator["Passage"]:
    """Yields the documents of a file. Raises `InputError` for a file that cannot be read."""
    from datetime import UTC, datetime

    from rarr.records import Passage
    from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
    from rarr.retrievers.extract.files import extract, kind

    if file.is_dir():
        raise InputError(f"{file} is a folder: name its files, as in --against {file}/*.md")
    if file.exists() and not kind(file.name):
        raise InputError(f"{file} has no known ending: give a text or document, such as one in .txt or .pdf")
    try:
        for document in extract(file, max_file_mb * MEGABYTE, lambda line: warn(f"{file}: {line}")):
            yield Passage(
                text=document.text,
                source=document.source or str(file),
                title=document.title,
                start=0,
                end=len(document.text),
                retrieved_at=datetime.now(UTC),
                published_at=document.published_at,
            )
    except UnreadableError as error:
        raise InputError(f"{file} cannot be used: {error}: give the path of a text or document") from None


def _claim_outcome(verification: "Verification") -> int:
    """Returns 3, with a line why, if the claim could not be judged, else 0. Prints the warnings."""
    from rarr.tools.text.warning_lines import grouped

    lines = grouped(verification.warnings)
    if verification.label is None:
        why = lines[0] if lines else "the claim has no sentence that the judge can read"
        return complain(f"nothing could be judged: {why}", 3)
    for line in lines:
        warn(line)
    return 0


def _verify_data(
    data: Path, out: Path, settings: "Settings", jobs: int, limit: int | None, *, as_json: bool
) -> int:
    from rarr.evals.verified_claims import verify_claims
    from rarr.views.terminal.progress_line import Waiting
    from rarr.views.terminal.revision import as_json as json_of
    from rarr.views.terminal.verification import report_text

    with Waiting(watched=sys.stderr.isatty()) as waiting:
        report = verify_claims(
            data,
            out,
            settings=settings,
            jobs=jobs,
            limit=limit,
            on_row=waiting.rows,
        )
    write(json_of(report) if as_json else f"{report_text(report)}report: {out / 'report.json'}\n")
    return _data_outcome(report)


def _data_outcome(report: "VerificationReport") -> int:
    """Returns the exit status of the worst problem: 3, 2 or 0. Prints one line for each problem."""
    from rarr.agent.claim_verification import READS_MORE

    status = 0
    if report.reader == "embedded" and any(row.label == "extrapolatory" for row in report.rows):
        warn(f"{READS_MORE.code}: {READS_MORE.message}")
    if report.unread_keys:
        from rarr.evals.claim_rows import KEYS

        named = ", ".join(map(repr, report.unread_keys))
        warn(f"{report.data} has keys that are not read: {named}: the keys of a row are {', '.join(KEYS)}")
    if report.unreadable:
        told = f"of {report.data} was left out"
        left_out = [f"line {each.line} {told}: {each.reason}" for each in report.unreadable]
        warn_of_each(left_out)
        lines = counted(len(report.unreadable), "line")
        status = complain(f"{lines} of {report.data} left out: correct the data, and run with another -o", 2)
    if errors := [row for row in report.rows if row.error]:
        warn_of_each([f"claim {row.id!r} has an error: {row.error}" for row in errors])
        cure = "correct the cause, and run again, which repeats these claims"
        status = complain(f"{counted(len(errors), 'claim')} with an error: {cure}", 2)
    if all(row.label is None for row in report.rows):
        why = f"{errors[0].error}: see rarr doctor" if errors else "predictions.jsonl has the warnings"
        status = complain(f"no claim could be judged: {why}", 3)
    return status
