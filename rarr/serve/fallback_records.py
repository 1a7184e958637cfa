"""Makes the record that goes out in place of a result: the original text, and why it is the original."""

from typing import cast

from rarr.agent.postprocessing.untouched_answer import untouched
from rarr.records import Notice, Record, Revision
from rarr.records.citations import CitationStyle, Cited
from rarr.records.postprocessing import Outcome, PostprocessMode
from rarr.records.verification import Verification
from rarr.serve.job_and_runner import Job


def original(job: Job, outcome: Outcome, notice: str) -> Record:
    """Makes the record of the job's task with its text as it came, and with the notice."""
    match job.task:
        case "postprocess":
            mode = cast(PostprocessMode, job.options.get("mode", "revise"))
            return untouched(job.text, mode, outcome, notice)
        case "verify":
            return Verification(claim=job.text, question=None, warnings=(_warning(outcome, notice),))
        case "cite":
            return Cited(
                original=job.text,
                text=job.text,
                style=cast(CitationStyle, job.options.get("style", "numbered")),
                list_start=len(job.text),
                research=_unrevised(job, outcome, notice),
            )
        case "revise":
            return _unrevised(job, outcome, notice)


def _unrevised(job: Job, outcome: Outcome, notice: str) -> Revision:
    return Revision(
        run_id=job.run_id,
        original=job.text,
        text=job.text,
        changed=False,
        warnings=(_warning(outcome, notice),),
    )


def _warning(outcome: Outcome, notice: str) -> Notice:
    return Notice(code=outcome, message=notice, node="")
