"""Writes runs as text: a list of runs, one run and its calls, and the changes in repeated runs (replays)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json
from rich.table import Column, Table
from rich.text import Text

from rarr.agent.replaying import Replay, SentenceChange
from rarr.errors import InputError
from rarr.tools.pages.html_rendering import duration
from rarr.tools.text.wording import counted, warning_lines
from rarr.traces.store import RunSummary
from rarr.traces.trace_file import ReadBody, StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.pages import RunView, token_sums
from rarr.views.report_tables import tables_text
from rarr.views.revision_text import Line, lines_as_text
from rarr.views.shown_text import one_line, visible_text

_MOST_QUOTE, _MOST_REPLAY, _MOST_RECORD = 160, 200, 500  # characters


def runs_table(runs: Sequence[RunSummary], names: Sequence[str]) -> str:
    """Writes a table with a row for each run. Shortens ids to 8 or more characters, unique in `names`."""
    length = next(n for n in count(8) if len({name[:n] for name in names}) == len(names))
    heads = ("run", "when", "took", "status", "calls", "tokens", "edits")
    table = Table(*heads, Column("text", no_wrap=True, ratio=1), box=None, pad_edge=False, expand=True)
    for run in runs:
        when = datetime.fromtimestamp(run.started).strftime("%m-%d %H:%M")
        took = "" if run.seconds is None else duration(run.seconds)
        cells = (run.run_id[:length], when, took, run.status, run.calls, run.tokens, run.edits, run.text)
        table.add_row(*(Text(one_line(str(cell), _MOST_QUOTE)) for cell in cells))
    return tables_text([table])


def trace_text(trace: Trace, *, terminal: bool, node: str | None = None, full: bool = False) -> str:
    """Writes a summary of a run in about ten lines, then the calls of all nodes, or of `node` alone.

    `full` adds the complete prompts and answers. Raises `InputError` if the run did not call `node`.
    """
    called = list(dict.fromkeys(call.name for call in trace.calls))
    if node is not None and node not in called:
        known = f"it called {', '.join(called)}" if called else "it called none"
        raise InputError(f"run {trace.run_id} called no node {node!r}: {known}")
    tree = _TraceLines(trace, full=full)
    calls = [(span.name, [*tree.lines(span)]) for span in trace.calls]
    shown = [line for name, lines in calls if node in (None, name) for line in lines]
    summary = [_text_line(0, line) for line in (*_summary_lines(trace), "")]
    return lines_as_text([*summary, *(shown or [_text_line(0, "No node was called.")])], terminal=terminal)


def _text_line(depth: int, text: str) -> Line:
    return Line(2 * depth, Text(one_line(text)))


def _summary_lines(trace: Trace) -> Iterator[str]:
    file, view = trace.file, RunView(trace)
    yield f"run {file.run_id}: {file.status}, {view.started:%Y-%m-%d %H:%M:%S} UTC, rarr {file.facts.version}"
    yield f"text: “{one_line(file.facts.original, _MOST_QUOTE)}”"
    if file.facts.context:
        yield f"context: “{one_line(file.facts.context, _MOST_QUOTE)}”"
    if file.facts.settings:
        yield f"settings: {', '.join(f'{name}={value}' for name, value in file.facts.settings.items())}"
    figures = [f"{name.lower()}: {value}" for name, value in view.key_figures.items()]
    yield from (*figures[:2], "; ".join(figures[2:]))
    yield from (f"warning: {line}" for line in warning_lines(view.warnings)[:2])
    if file.error:
        yield f"error: {file.error}"
    if file.status == "unfinished":
        where = " > ".join(f"{span.name} {span.about}".rstrip() for span in view.unfinished_spans)
        after = f"after {trace.calls[-1].name}" if trace.calls else "before its first node"
        yield f"it is still running, or it stopped {f'in {where}' if where else after}"


class _TraceLines:
    """Writes the spans (recorded steps) of a trace as lines. A record in several updates is written once."""

    def __init__(self, trace: Trace, *, full: bool) -> None:
        self._trace, self._full, self._seen = trace, full, set[str]()
        self._blocks = {span.number: f"{name}: " for name, spans in trace.blocks.items() for span in spans}

    def lines(self, span: StoredSpan, depth: int = 0) -> Iterator[Line]:
        """Yields the lines of a span and of all spans inside it."""
        body = self._trace.body(span)
        failing = f"  failed: {one_line(span.error, _MOST_QUOTE)}" if span.error else ""
        yield _text_line(depth, self._span_title(span, body) + failing)
        if self._full and span.kind not in ("node", "failure", "block"):
            yield from self._body_lines(body, depth + 1)
        for each in self._trace.inner[span.number]:
            yield from self.lines(each, depth + 1)
        yield from (_text_line(depth + 1, text) for text in self._new_records(body.get("update") or {}))

    def _span_title(self, span: StoredSpan, body: Mapping[str, Any]) -> str:
        time = duration(span.seconds)
        if span.kind == "score":
            return f"scored {counted(body.get('passages', 0), 'passage')} of {span.about}, {time}"
        if span.kind == "read":
            read = ReadBody.model_validate(body)
            missed, planted = sum(it.missed for it in read.controls), len(read.controls)
            beside = f"beside {counted(len(read.evidence), 'passage')}"
            examined = f", {planted} planted, {missed} missed" if planted else ""
            return f"read {counted(len(read.sentences), 'sentence')} {beside}{examined}, {time}"
        requests = [span] if span.kind == "request" else self._trace.inner_spans(span, "request")
        title = f"{self._blocks.get(span.parent, '')}{span.name} {span.about}".rstrip()
        title = f"question {title}" if span.kind == "ask" else title
        after = "given up, and the run went on" if span.kind == "failure" else time
        saved = "a saved reading, not asked" if body.get("saved") else ""
        cost = f"cost {body['cost']:.4f}" if body.get("cost") else ""
        return ", ".join(filter(None, (title, after, saved, token_sums(requests), cost)))

    def _body_lines(self, body: Mapping[str, Any], depth: int) -> Iterator[Line]:
        if "prompt" in body:
            prompt = self._trace.prompts[body["prompt"]]
            yield _text_line(depth, f"prompt {prompt.name}, version {prompt.version}, hash {prompt.hash}")
            body = {"system": prompt.system, **body}
        for name, value in body.items():
            for each in value if isinstance(value, list) else [value]:
                text = each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, indent=1)
                yield _text_line(depth, f"{name}:")
                yield from (Line(2 * depth + 2, Text(row)) for row in visible_text(text).split("\n"))

    def _new_records(self, update: Mapping[str, Any]) -> Iterator[str]:
        report = update.get("report")
        for key, value in {**update, "report": report and report.sentences}.items():
            for record in value if isinstance(value, list | tuple) else [value] * bool(value):
                plain = record.model_dump(exclude_defaults=True) if isinstance(record, BaseModel) else record
                line = f"{key}: {to_json(plain, fallback=str).decode()}"
                if line not in self._seen:
                    self._seen.add(line)
                    yield line if self._full else one_line(line, _MOST_RECORD)


def replays_text(replays: Sequence[Replay], *, full: bool = False) -> str:
    """Writes which sentences a replay (a repeated run) changed, and why. `full`: texts are not cut."""
    lines = [line for replay in replays for line in _replay_lines(replay, None if full else _MOST_REPLAY)]
    kinds = Counter(_status_change(change) for replay in replays for change in replay.changes)
    lines += [f"{number:>4} {kind}" for kind, number in kinds.most_common()] if len(replays) > 1 else []
    return visible_text("\n".join(lines)) + "\n"


def _replay_lines(replay: Replay, most: int | None) -> Iterator[str]:
    sentences = len(replay.after.report.sentences)
    yield f"run {replay.after.run_id}: {len(replay.changes)} of {counted(sentences, 'sentence')} changed"
    for change in replay.changes:
        yield f"  {_status_change(change)}: {one_line(change.text, most)}"
        if change.before and change.after and change.before.text != change.after.text:
            yield f"    text: {one_line(change.before.text, most)} → {one_line(change.after.text, most)}"
        if change.why:
            yield f"    why: {one_line(change.why, most)}"
    for what, questions in zip(("not asked any more", "asked now"), replay.questions, strict=True):
        yield from (f"  {what}: {one_line(question, most)}" for question in questions)
    if replay.asked:
        yield f"  asked for real: {counted(replay.asked, 'question')}, of which {len(replay.failed)} failed"
    elif replay.same:
        yield "  The revision is the same, byte for byte. Nothing was asked for real."


def _status_change(change: SentenceChange) -> str:
    before, after = (it.status if it else "no sentence" for it in (change.before, change.after))
    return f"{before} → {after}"
