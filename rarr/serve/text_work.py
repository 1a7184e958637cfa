"""Has the texts of one answer worked on, each in the light of its conversation."""

from collections.abc import Mapping, Sequence
from typing import Any

from rarr.agent.postprocessing.conversation import LONGEST, latest_turns
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.fallback_records import original
from rarr.serve.job_and_runner import Job
from rarr.serve.jobs_with_fallback import Desk, as_record
from rarr.serve.request_context import Call
from rarr.serve.request_options import RequestOptions
from rarr.settings import Settings


class TextWork:
    """Revises, checks or cites the texts of one answer, as its caller chose, by jobs for the desk."""

    def __init__(
        self,
        desk: Desk,
        call: Call,
        options: RequestOptions,
        conversation: Sequence[Mapping[str, Any]],
        settings: Settings,
    ) -> None:
        self._desk, self._call, self._options = desk, call, options
        self._conversation = latest_turns(conversation)  # without images, since each block's job has it
        self._deadline_s = options.deadline_s or settings.serve_deadline_s

    @property
    def changes_text(self) -> bool:
        """Tells whether the text may change. If not, it need not be held back."""
        return self._options.mode != "check"

    @property
    def needs_whole(self) -> bool:
        """Tells whether the text is worked on as a whole, as the modes cite and check need."""
        return self._options.mode in ("cite", "check")

    async def result(self, text: str, before: str = "") -> Postprocessed:
        """Returns the result of a text; if that fails, a result with the text as it is.

        `before` is the part of the same answer that stands before the text.
        """
        job = self._job(text, before)
        if not text.strip():
            return _as_postprocessed(original(job, "nothing_to_check", "nothing to check"))
        try:
            result = await as_record(Postprocessed, self._desk, job)
        except InputError as error:  # the text of a model, which its reader is to get all the same
            result = _as_postprocessed(original(job, "failed", f"not checked: {error}"))
        self._call.log.setdefault("run_id", job.run_id)
        self._call.log["outcome"] = result.outcome
        return result

    def _job(self, text: str, before: str) -> Job:
        earlier = [{"role": "assistant", "content": before[-LONGEST:]}] if before.strip() else []
        options: dict[str, Any] = {"mode": self._options.mode}
        if self._options.search:
            options["search"] = self._options.search
        return Job(
            "postprocess",
            text,
            self._call.caller.new_run(),
            context=[*self._conversation, *earlier],
            sources=self._options.passages(),
            corpus=self._options.corpus,
            deadline_s=self._deadline_s,
            options=options,
        )


def _as_postprocessed(record: object) -> Postprocessed:
    assert isinstance(record, Postprocessed)
    return record
