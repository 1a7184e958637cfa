"""Writes results as text for a model that uses the tools, and offers the runs of a server as resources."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from rarr.errors import InputError
from rarr.records import Revision
from rarr.records.citations import Cited
from rarr.records.evidence_search_result import FoundEvidence
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from rarr.tools.text.wording import grouped
from rarr.traces.trace_file import TraceFile
from rarr.traces.trace_reader import Trace, open_store
from rarr.views.revision_text import render, verification_text
from rarr.views.shown_text import as_json, one_line
from rarr.views.trace_text import as_text, runs_json

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
        return await _read(lambda: as_text(_withheld(Trace.load(self._known(run_id), self._home))))

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


async def _read(read: Callable[[], Result]) -> Result:
    """Reads on a thread. A run that was removed meanwhile is not found."""
    try:
        return await asyncio.to_thread(read)
    except InputError as error:
        raise ResourceNotFoundError(str(error)) from None


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


def short(revision: Revision) -> Revision:
    """Leaves out what a caller rarely needs: queries, checks, and passages that nothing refers to.

    Passages that seem to speak to a language model are among them: the caller is one.
    """
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits)}
    for sentence in revision.report.sentences:
        used |= {*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)}
    kept = tuple(each for each in revision.evidence if each.id in used and not each.suspicious)
    return revision.model_copy(update={"queries": (), "checks": (), "evidence": kept})


def revised_lines(result: Postprocessed) -> str:
    """Writes the notice, the text, its changes and its sentences."""
    assert result.revision is not None
    shown = render(result.revision, terminal=False)
    return f"{result.notice}\n\n{shown}\ntrace: {LISTED}/{result.revision.run_id}/trace\n"


def cited_lines(cited: Cited) -> str:
    """Writes the cited text, and behind it the citations that are wrong."""
    wrong = [
        f"wrong citation: {one_line(check.text)} ({check.state.replace('_', ' ')})"
        for check in cited.existing
        if check.state in ("not_supported", "source_not_found")
    ]
    warnings = [f"warning: {one_line(line)}" for line in grouped(cited.research.warnings)]
    address = f"trace: {LISTED}/{cited.research.run_id}/trace"
    return "\n".join([cited.text.rstrip("\n"), "", *wrong, *warnings, address, ""])


def verified_lines(verification: Verification) -> str:
    """Writes the label, the deciding sentence, the words of the claim, and the warnings."""
    warnings = [f"warning: {one_line(line)}\n" for line in grouped(verification.warnings)]
    return verification_text(verification) + "".join(warnings)


def evidence_lines(found: FoundEvidence) -> str:
    """Writes the passages with their sources, best first, and the warnings."""
    lines = []
    for number, passage in enumerate(found.evidence, start=1):
        title = f"{one_line(passage.title)}, " if passage.title else ""
        head = f"[{number}] {title}{one_line(passage.source)}, relevance {passage.relevance:.2f}"
        lines += [head, passage.text, ""]
    lines += [f"warning: {one_line(line)}" for line in grouped(found.warnings)]
    return "\n".join(lines or ["The sources of this server hold nothing about it."]) + "\n"
