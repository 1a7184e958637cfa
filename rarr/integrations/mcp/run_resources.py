"""Offers the runs of a server as resources: their list, and the revision and the trace of each."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import Resource

from rarr.errors import InputError
from rarr.integrations.mcp.shown_records import run_address, short
from rarr.traces.trace_file import TraceFile
from rarr.traces.trace_reader import Trace, open_store
from rarr.views.terminal.revision import as_json
from rarr.views.terminal.trace.listing import runs_json
from rarr.views.terminal.trace.tree import Choice, as_text

LISTED = "rarr://runs"
_LISTED_RUNS = 50

Result = TypeVar("Result")


class RunResources:
    """The runs of one server, by the names in `runs`; other runs of the data folder `home` stay hidden."""

    def __init__(self, runs: Sequence[str], home: Path) -> None:
        self._runs, self._home = runs, home

    async def listed(self) -> str:
        """Returns the newest runs of this server as JSON: time, status, requests, tokens, edits, text."""
        return await _read(self._listed)

    async def revision(self, run_id: str) -> str:
        """Returns the shortened revision of a run of this server as JSON.

        Raises `ResourceNotFoundError` for an unknown run, and for one without a revision.
        """
        return await _read(lambda: self._revision(self._known(run_id)))

    async def trace(self, run_id: str) -> str:
        """Returns the trace of a run as text: its nodes, with their input and output.

        The texts of suspicious passages are withheld. Raises `ResourceNotFoundError` for an unknown run.
        """
        return await _read(lambda: as_text(_withheld(Trace.load(self._known(run_id), self._home)), Choice()))

    def resources(self) -> list[Resource]:
        """Lists the resources of the newest runs, as a client shows them."""
        return [
            Resource(
                uri=run_address(run_id, part),
                name=f"{part} of {run_id[:8]}",
                description=f"The {part} of the run {run_id}",
                mime_type="application/json" if part == "revision" else "text/plain",
            )
            for run_id in reversed(self._runs[-_LISTED_RUNS:])
            for part in ("revision", "trace")
        ]

    def _known(self, run_id: str) -> str:
        if run_id not in self._runs:
            raise ResourceNotFoundError(
                f"this server has no run {run_id[:40]!r}: read {LISTED}, which names its runs"
            )
        return run_id

    def _listed(self) -> str:
        own = set(self._runs)
        with open_store(self._home) as store:
            runs = [run for run in store.list() if run.run_id in own] if own else []
        return as_json(runs_json(runs[:_LISTED_RUNS]))

    def _revision(self, run_id: str) -> str:
        revision = Trace.load(run_id, self._home).revision
        if revision is None:
            raise ResourceNotFoundError(f"the run {run_id!r} ended without a revision: read its trace")
        return as_json(short(revision))


def _withheld(trace: Trace) -> Trace:
    """Replaces the texts of passages that seem to speak to a language model: the caller is one."""
    passages = trace.revision.evidence if trace.revision else ()
    suspicious = {json.dumps(each.text, ensure_ascii=False) for each in passages if each.suspicious}
    if not suspicious:
        return trace
    file = trace.file.text()
    for text in suspicious:
        if text not in file:
            raise InputError(f"the trace has a suspicious passage: rarr trace show {trace.run_id} shows it")
        file = file.replace(text, '"(withheld)"')
    return Trace(TraceFile.model_validate_json(file))


async def _read(read: Callable[[], Result]) -> Result:
    """Reads on a thread. A run that was removed meanwhile is not found."""
    try:
        return await asyncio.to_thread(read)
    except InputError as error:
        raise ResourceNotFoundError(str(error)) from None
