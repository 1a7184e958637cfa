"""Has the texts of chat completions revised, checked or cited, and puts the results back."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, cast

from rarr.agent.inputs import CONTEXT_CHARS, latest_turns
from rarr.batches.jobs import Done, Job, Runner, Task, original, sendable
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.requests import Call, Json, TextBody
from rarr.settings import Settings

_log = logging.getLogger("rarr.serve")


class Desk:
    """Hands jobs to the runner. A job that fails or is late gives a record with the original text."""

    def __init__(self, runner: Runner) -> None:
        self._runner, self.stopping = runner, asyncio.Event()
        """Is set when the originals of all jobs go out, since the server is shutting down."""

    async def done(self, job: Job) -> Done:
        """Runs a job, and returns the record of its task.

        At the deadline, after a failure and at shutdown, the record has the original text.
        Raises `InputError` for a wrong text or passage.
        """
        running = asyncio.ensure_future(self._runner.run(job))
        stopping: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        both = {running, stopping}
        try:
            await asyncio.wait(both, timeout=job.deadline_s, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            if self.stopping.is_set():
                return original(job, "failed", "not checked: the server is shutting down")
            return original(job, "deadline", f"not checked: the deadline of {job.deadline_s:g} s came first")
        except InputError:
            raise
        except Exception as error:  # an answer must go out
            _log.error("a job failed", extra={"run_id": job.run_id, "error": type(error).__name__})
            return original(job, "failed", f"not checked: {sendable(error)}")
        finally:
            running.cancel()
            stopping.cancel()


def job_of(task: Task, body: TextBody, settings: Settings, **options: str) -> Job:
    """Makes a job without its text of what a caller chose, and of further options of the task."""
    return Job(
        task,
        text="",
        run_id="",
        sources=tuple(body.sources),
        deadline_s=body.deadline_s or settings.serve_deadline_s,
        options=body.model_dump(include={"mode", "search"}, exclude_none=True) | options,
    )


class TextWork:
    """Gives jobs for the texts of one answer to the desk, each like `job`; it replies to the `messages`."""

    def __init__(self, desk: Desk, call: Call, job: Job, messages: Any) -> None:
        self._desk, self._call, self._job = desk, call, job
        turns = [each for each in objects(messages) if isinstance(each.get("role"), str)]
        self._turns = latest_turns(turns)  # without images, since each block's job has it
        mode = job.options["mode"]
        self.changes_text = mode != "check"
        """Whether the text may change. If not, it need not be held back."""
        self.needs_whole = mode in ("cite", "check")
        """Whether the text is worked on as a whole."""

    async def result(self, text: str, before: str = "") -> Postprocessed:
        """Returns the result of a text; if that fails, a result with the text as it is.

        `before` is the part of the same answer that stands before the text.
        """
        earlier = [{"role": "assistant", "content": before[-CONTEXT_CHARS:]}] if before.strip() else []
        job = replace(self._job, text=text, run_id=self._call.new_run(), context=[*self._turns, *earlier])
        if not text.strip():
            return cast(Postprocessed, original(job, "nothing_to_check", "nothing to check"))
        try:
            result = cast(Postprocessed, await self._desk.done(job))
        except InputError as error:  # the text of a model, which its reader is to get all the same
            result = cast(Postprocessed, original(job, "failed", f"not checked: {error}"))
        self._call.log.setdefault("run_id", job.run_id)
        self._call.note(result.outcome)
        return result


def _placed(results: Sequence[Postprocessed]) -> Iterator[tuple[int, Postprocessed]]:
    """Yields the results of a text, block after block, each with the place where its block begins."""
    return zip(accumulate((len(it.text) for it in results), initial=0), results, strict=False)


def annotations(results: Sequence[Postprocessed]) -> list[Json]:
    """Returns the citations of all blocks of a text, with their places in the whole text."""
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": it.start + offset,
                "end_index": it.end + offset,
                "title": it.title or it.source,
                "url": it.source,
            },
        }
        for offset, result in _placed(results)
        for it in result.citations
    ]


def shown(results: Sequence[Postprocessed], index: int) -> list[Json]:
    """Makes the entries of the object `rarr`: what was done to each block of the text of a choice.

    `sentences` are those that evidence does not support.
    """
    entries, keys = list[Json](), {"id", "state", "old", "new", "reason"}
    for offset, result in _placed(results):
        run = result.revision
        sentences = [it for it in run.report.sentences if it.status != "supported"] if run else []
        entry = {
            "index": index,
            "start": offset,
            "end": offset + len(result.text),
            "run_id": run.run_id if run else None,
            **result.model_dump(include={"mode", "outcome", "changed", "notice", "citations"}),
            "edits": [edit.model_dump(include=keys) for edit in (run.edits if run else ())],
            "sentences": [it.model_dump(include={"text", "status"}) for it in sentences],
        }
        entries.append(entry)
    return entries


def why_not(request: Json) -> str:
    """Tells why answers to this request pass unchanged, such as "logprobs"; "" if they are worked on."""
    form = request.get("response_format")
    if isinstance(form, dict) and form.get("type") not in (None, "text"):
        return "structured output"
    if request.get("stream") and request.get("n") not in (None, 1):
        return "several streamed choices"
    if isinstance(modalities := request.get("modalities"), list) and "audio" in modalities:
        return "audio"
    return "logprobs" if request.get("logprobs") else ""


async def work_on(answer: Json, work: TextWork) -> list[Postprocessed]:
    """Replaces the texts of a whole answer by those of their results, which are returned.

    Adds citations as annotations, and the object `rarr`. A blank text is left out, and a text into which
    logprobs or annotations point.
    """
    found, entries = dict[int, Json](), list[Json]()
    for index, choice in enumerate(objects(answer.get("choices"))):
        message = choice.get("message")
        if isinstance(message, dict) and not (choice.get("logprobs") or message.get("annotations")):
            text = message.get("content")
            if isinstance(text, str) and text.strip():
                found[index] = message
    results = await asyncio.gather(*(work.result(message["content"]) for message in found.values()))
    for (index, message), result in zip(found.items(), results, strict=True):
        message["content"] = result.text
        if citations := annotations([result]):
            message["annotations"] = citations
        entries += shown([result], index)
    if entries:
        answer["rarr"] = {"results": entries}
    return results


def objects(value: Any) -> list[Json]:
    """Returns `value` if it is a list of objects alone, otherwise []: places count all members."""
    whole = isinstance(value, list) and all(isinstance(member, dict) for member in value)
    return value if whole else []
