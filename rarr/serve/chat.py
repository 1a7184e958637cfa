"""Postprocesses chat completions: takes out the texts, corrects, cites or marks them, and puts them back."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from rarr.agent.inputs import CONTEXT_CHARS, latest_turns, message_text, with_text
from rarr.batches.jobs import Job, JobResult, Runner, Task, picklable_error, unchanged_result
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.requests import Call, Json, TextBody
from rarr.settings import Settings

_SKIP_REASONS = {"tool_calls": "tool calls", "function_call": "tool calls"}  # by a field of the message
_SKIP_REASONS |= {name: name for name in ("images", "audio", "annotations")}
_log = logging.getLogger("rarr.serve")


class FallbackRunner:
    """Runs jobs with `runner`. If a job fails or misses its deadline, its result has the original text."""

    def __init__(self, runner: Runner) -> None:
        self._runner, self.stopping = runner, asyncio.Event()  # `stopping` is set at shutdown

    async def run_or_original(self, job: Job) -> JobResult:
        """Runs `job`. After a failure, at the deadline or at shutdown, the result has the original text.

        Raises `InputError` if the text or a passage is wrong.
        """
        running = asyncio.ensure_future(self._runner.run(job))
        stop: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait({running, stop}, timeout=job.deadline_s, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            if self.stopping.is_set():
                return unchanged_result(job, "failed", "not checked: the server is shutting down")
            late = f"not checked: the deadline of {job.deadline_s:g} s came first"
            return unchanged_result(job, "deadline", late)
        except InputError:
            raise
        except Exception as error:  # the caller must get an answer
            _log.error("a job failed", extra={"run_id": job.run_id, "error": type(error).__name__})
            return unchanged_result(job, "failed", f"not checked: {picklable_error(error)}")
        finally:
            running.cancel()
            stop.cancel()


def make_job(task: Task, body: TextBody, settings: Settings, **options: str) -> Job:
    """Makes a job from the body of a request, the settings and `options`. The caller adds the text later."""
    return Job(
        task,
        text="",
        run_id="",
        sources=tuple(body.sources),
        deadline_s=body.deadline_s or settings.serve_deadline_s,
        options=body.model_dump(include={"mode", "search"}, exclude_none=True) | options,
    )


class TextPostprocessor:
    """Postprocesses the texts of one answer, each by a copy of `job`. `messages`: the earlier messages."""

    def __init__(self, jobs: FallbackRunner, call: Call, job: Job, messages: Any) -> None:
        self._jobs, self.call, self._job = jobs, call, job
        turns = [each for each in list_of_objects(messages) if isinstance(each.get("role"), str)]
        self._turns = latest_turns(turns)  # texts without images, because each job gets a copy
        mode = job.options["mode"]
        self.changes_text = mode != "check"  # if false, a stream is sent before the result is known
        self.needs_whole_text = mode in ("cite", "check")  # if true, a stream is not cut into paragraphs

    async def postprocess(self, text: str, before: str = "") -> Postprocessed:
        """Postprocesses `text`. `before`: the answer up to `text`. After a failure, `text` is unchanged."""
        earlier = [{"role": "assistant", "content": before[-CONTEXT_CHARS:]}] if before.strip() else []
        job = replace(self._job, text=text, run_id=self.call.new_run_id(), context=[*self._turns, *earlier])
        if not text.strip():
            return cast(Postprocessed, unchanged_result(job, "nothing_to_check", "nothing to check"))
        try:
            result = cast(Postprocessed, await self._jobs.run_or_original(job))
        except InputError as error:  # the caller did not write the text, and must get it in any case
            result = cast(Postprocessed, unchanged_result(job, "failed", f"not checked: {error}"))
        self.call.log.setdefault("run_id", job.run_id)
        self.call.note_outcome(result.outcome)
        return result


def annotations_and_entries(
    results: Sequence[Postprocessed], index: int, start: int = 0
) -> tuple[list[Json], list[Json]]:
    """Returns OpenAI's `annotations` (citations) of a choice (one answer), and entries for the field `rarr`.

    `index` is the number of the choice. An entry describes one of the `results`, and lists its sentences
    that evidence does not support. Offsets count from the start of the choice's text, in which `results[0]`
    begins at `start`. But the offsets of citations in an entry count from the start of the entry.
    """
    annotations, entries, keys = list[Json](), list[Json](), {"id", "state", "old", "new", "reason"}
    for result in results:
        for it in result.citations:
            place = {"start_index": start + it.start, "end_index": start + it.end}
            cited = {**place, "title": it.title or it.source, "url": it.source}
            annotations.append({"type": "url_citation", "url_citation": cited})
        run, end = result.revision, start + len(result.text)
        sentences = [it for it in run.report.sentences if it.status != "supported"] if run else []
        entry = {
            "index": index,
            "start": start,
            "end": end,
            "run_id": run.run_id if run else None,
            **result.model_dump(include={"mode", "outcome", "changed", "notice", "citations"}),
            "edits": [edit.model_dump(include=keys) for edit in (run.edits if run else ())],
            "sentences": [it.model_dump(include={"text", "status"}) for it in sentences],
        }
        entries.append(entry)
        start = end
    return annotations, entries


def why_skip_request(request: Json) -> str:
    """Returns why the answer to `request` is not postprocessed, such as "logprobs"; "" if it is."""
    form = request.get("response_format")
    if isinstance(form, dict) and form.get("type") not in (None, "text"):
        return "structured output"
    if request.get("stream") and request.get("n") not in (None, 1):
        return "several streamed choices"
    if isinstance(modalities := request.get("modalities"), list) and "audio" in modalities:
        return "audio"
    return "logprobs" if request.get("logprobs") else ""


def why_skip_message(choice: Json, message: Json) -> str:
    """Returns why a message is not postprocessed, such as "tool calls"; "" if there is no reason."""
    if choice.get("logprobs"):  # probabilities of the words; they would not fit a changed text
        return "logprobs"
    return next((why for key, why in _SKIP_REASONS.items() if message.get(key)), "")


async def postprocess_answer(answer: Json, processor: TextPostprocessor) -> tuple[list[Postprocessed], str]:
    """Postprocesses the texts of an answer that is not streamed, and writes the results into `answer`.

    Adds annotations and the object `rarr` to `answer`. Returns the results, and why a text has no result.
    """
    found, entries, why = dict[int, Json](), list[Json](), ""
    for number, choice in enumerate(list_of_objects(answer.get("choices"))):
        message = given if isinstance(given := choice.get("message"), dict) else {}
        if reason := why_skip_message(choice, message):
            why = reason
        elif message_text(message.get("content")).strip():
            found[number] = message
    texts = [message_text(message["content"]) for message in found.values()]
    results = await asyncio.gather(*map(processor.postprocess, texts))
    for (number, message), result in zip(found.items(), results, strict=True):
        if result.changed:
            message["content"] = with_text(message["content"], result.text)
        citations, made = annotations_and_entries([result], number)
        message |= {"annotations": citations} if citations else {}
        entries += made
    if entries:
        answer["rarr"] = {"results": entries}
    return results, why or "no text"


def list_of_objects(value: Any) -> list[Json]:
    """Returns `value` if it is a list that has only objects, else []."""
    whole = isinstance(value, list) and all(isinstance(member, dict) for member in value)
    return value if whole else []
