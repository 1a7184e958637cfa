"""Has the texts of one answer revised, checked or cited, as its caller chose, and says what was done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from rarr.agent.inputs import LONGEST, latest_turns
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed
from rarr.serve.bodies import Json, ProxyOptions, as_given
from rarr.serve.gate import Call
from rarr.serve.jobs import Desk, Job, original
from rarr.settings import Settings
from rarr.settings.serving import ServeMode


class TextWork:
    """Gives jobs for the texts of one answer to the desk. `turns` are the messages of the conversation.

    `key` is that of the request: a stream may bring it in several pieces.
    """

    def __init__(
        self,
        desk: Desk,
        call: Call,
        options: ProxyOptions,
        mode: ServeMode,
        turns: Sequence[Mapping[str, Any]],
        settings: Settings,
        key: str = "",
    ) -> None:
        self._desk, self._call, self._key = desk, call, key
        self._turns = latest_turns(turns)  # without images, since each block's job has it
        self._job = Job(
            "postprocess",
            text="",
            run_id="",
            sources=as_given(options.sources),
            corpus=options.corpus,
            deadline_s=options.deadline_s or settings.serve_deadline_s,
            options={"mode": mode, **({"search": options.search} if options.search else {})},
        )
        self.changes_text = mode != "check"
        """Whether the text may change. If not, it need not be held back."""
        self.needs_whole = mode in ("cite", "check")
        """Whether the text is worked on as a whole."""

    async def result(self, text: str, before: str = "") -> Postprocessed:
        """Returns the result of a text; if that fails, a result with the text as it is.

        `before` is the part of the same answer that stands before the text.
        """
        text = text.replace(self._key, "*" * len(self._key)) if self._key else text
        earlier = [{"role": "assistant", "content": before[-LONGEST:]}] if before.strip() else []
        job = replace(self._job, text=text, run_id=self._call.new_run(), context=[*self._turns, *earlier])
        if not text.strip():
            return cast(Postprocessed, original(job, "nothing_to_check", "nothing to check"))
        try:
            result = cast(Postprocessed, await self._desk.done(job))
        except InputError as error:  # the text of a model, which its reader is to get all the same
            result = cast(Postprocessed, original(job, "failed", f"not checked: {error}"))
        self._call.log.setdefault("run_id", job.run_id)
        self._call.log["outcome"] = result.outcome
        return result


class WorkedText:
    """The results of one text of an answer, block after block, each with the place where its block begins."""

    def __init__(self) -> None:
        self.results: list[tuple[int, Postprocessed]] = []
        self.text = ""

    def add(self, result: Postprocessed) -> None:
        """Adds the result of the next block."""
        self.results.append((len(self.text), result))
        self.text += result.text

    def citations(self) -> list[Json]:
        """Returns the citations of all blocks, with their places in the whole text."""
        return [
            {
                "start_index": citation.start + offset,
                "end_index": citation.end + offset,
                "title": citation.title or citation.source,
                "url": citation.source,
            }
            for offset, result in self.results
            for citation in result.citations
        ]

    def shown(self, index: int) -> list[Json]:
        """Makes the entries of the object `rarr`: what was done to each block.

        `sentences` are those that evidence does not support.
        """
        return [_shown(result, index, offset) for offset, result in self.results]


Place = tuple[int, int]
"""The place of a text in an answer. Chat completions: (choice, 0). Responses: (output, content)."""
Worked = defaultdict[Place, WorkedText]


def _shown(result: Postprocessed, index: int, offset: int) -> Json:
    revision = result.revision
    sentences = revision.report.sentences if revision else ()
    keys = {"id", "state", "old", "new", "reason"}
    return {
        "index": index,
        "start": offset,
        "end": offset + len(result.text),
        "run_id": revision.run_id if revision else None,
        **result.model_dump(include={"mode", "outcome", "changed", "notice", "citations"}),
        "edits": [edit.model_dump(include=keys) for edit in (revision.edits if revision else ())],
        "sentences": [{"text": s.text, "status": s.status} for s in sentences if s.status != "supported"],
    }
