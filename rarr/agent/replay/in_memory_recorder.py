"""Keeps the trace of a replay in memory."""

import json
from typing import Any

from rarr.prompts import Prompt
from rarr.records import Revision
from rarr.tools.trace_spans import TraceSpan
from rarr.traces.record_references import Packer
from rarr.traces.recorder import Numbering, recorded_body
from rarr.traces.trace_file import RunFacts, StoredSpan, TraceFile, prompt_fields
from rarr.traces.trace_reader import Trace


class MemoryRecorder(Numbering):
    """The `Recorder` of a replay: it collects spans and prompts, and writes no file."""

    def __init__(self) -> None:
        super().__init__()
        self._started = self.now()
        self._spans: list[StoredSpan] = []
        self._prompts: dict[str, dict[str, Any]] = {}
        self._packer = Packer()

    def begin(self, span: TraceSpan) -> None:
        pass

    def end(self, span: TraceSpan) -> None:
        body, records = (json.loads(packed) for packed in self._packer.pack(recorded_body(span.body)))
        plain = {
            name: getattr(span, name) for name in StoredSpan.model_fields if name not in ("records", "body")
        }
        self._spans.append(StoredSpan(**plain, records=records, body=body))

    def keep(self, prompt: Prompt) -> None:
        self._prompts[prompt.hash] = prompt_fields(prompt)

    async def saved(self) -> None:
        pass

    def trace(self, run_id: str, facts: RunFacts, revision: Revision | None) -> Trace:
        """Builds the trace of all that was recorded so far."""
        packed, records = (json.loads(part) for part in self._packer.pack(revision and dict(revision)))
        file = TraceFile(
            run_id=run_id,
            started=self._started,
            seconds=self.now() - self._started,
            error="",
            facts=facts,
            spans=sorted(self._spans, key=lambda span: span.number),
            prompts=self._prompts,
            records=records,
            revision=packed,
        )
        return Trace(file)
