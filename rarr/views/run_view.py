"""Holds the results of a run and its trace for those who show it, and looks up the links between them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, get_args

from rarr.ledger.sentence_support import moved_queries
from rarr.records import Check, Edit, EditState, Evidence, Notice, Query, Scores, Sentence, Status
from rarr.tools.pages.html_rendering import duration, number
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.wording import counted
from rarr.traces.trace_file import ReadBody, StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.marked_text import MarkedSentence, marked, title_of, with_status

_MOST = 8  # links to spans that failed in the same way


@dataclass(frozen=True, kw_only=True)
class RunView:
    """The trace and the results of a run. Without a revision, the results are those of its nodes so far."""

    trace: Trace
    original: str
    text: str
    queries: Sequence[Query]
    evidence: Sequence[Evidence]
    checks: Sequence[Check]
    edits: Sequence[Edit]
    sentences: Sequence[Sentence]
    warnings: Sequence[Notice]
    scores: Scores = field(default_factory=Scores)

    @cached_property
    def evidence_by_id(self) -> dict[str, Evidence]:
        """Maps ids to evidence."""
        return {passage.id: passage for passage in self.evidence}

    @cached_property
    def queries_by_id(self) -> dict[str, Query]:
        """Maps ids to queries."""
        return {query.id: query for query in self.queries}

    @cached_property
    def evidence_of(self) -> Mapping[str, list[Evidence]]:
        """Groups the evidence by the id of its query."""
        return _grouped((passage.query_id, passage) for passage in self.evidence)

    @cached_property
    def edits_of(self) -> Mapping[str, list[Edit]]:
        """Groups the edits by the id of their query."""
        return _grouped((edit.query_id, edit) for edit in self.edits)

    @cached_property
    def checks_of(self) -> Mapping[str, list[Check]]:
        """Groups the checks by the id of their evidence, in the order in which they were made."""
        return _grouped((check.evidence_id, check) for check in self.checks)

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """Maps the id of each query to the numbers, from 1, of the revised sentences that it is about."""
        return {
            query.id: [
                number
                for number, sentence in enumerate(self.sentences, start=1)
                if Span(query.start, max(query.end, query.start + 1)).overlaps(
                    Span(sentence.start, sentence.end)
                )
            ]
            for query in moved_queries(self.queries, self.edits)
        }

    def verdicts(self, evidence: Iterable[Evidence]) -> list[str]:
        """Returns the verdicts of the last checks of this evidence, each verdict once."""
        checks = [self.checks_of[passage.id] for passage in evidence]
        return list(dict.fromkeys(each[-1].verdict for each in checks if each))

    @cached_property
    def marked(self) -> list[MarkedSentence]:
        """Cuts the text into its sentences, with their edits and deciding words marked."""
        return marked(self.original, self.edits, self.sentences)

    @property
    def title(self) -> str:
        """Returns the first line of the text, or the name of the run."""
        return title_of(self.text) or f"Run {self.trace.run_id[:12]}"

    def with_status(self, *statuses: Status) -> list[tuple[int, Sentence]]:
        """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
        return with_status(self.sentences, *statuses)

    def passages(self, sentence: Sentence) -> list[Evidence]:
        """Returns the evidence of a sentence and its parts."""
        names = [*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    @property
    def started(self) -> datetime:
        """Returns when the run began, in UTC."""
        return datetime.fromtimestamp(self.trace.file.started, UTC)

    @cached_property
    def zero(self) -> float:
        """Returns when the first span began, by the clock of the spans, in seconds since 1970."""
        return min((span.started for span in self.trace.spans), default=self.trace.file.started)

    @cached_property
    def seconds(self) -> float:
        """Computes the seconds from the first span to the last recorded event, at least 1e-6."""
        return max(max((span.ended for span in self.trace.spans), default=self.zero) - self.zero, 1e-6)

    @cached_property
    def by_number(self) -> dict[int, StoredSpan]:
        """Maps the numbers of spans to the spans."""
        return {span.number: span for span in self.trace.spans}

    @cached_property
    def about(self) -> Mapping[str, list[StoredSpan]]:
        """Groups the spans that are about a query or an evidence by its id, without requests."""
        spans = []
        for span in self.trace.spans:
            if span.kind == "read":
                asks = list(self.trace.within(span, "ask"))
                spans += [(name, ask) for name in self.reading(span).evidence for ask in asks]
            elif span.about and span.kind != "request":
                spans.append((span.about, span))
        return _grouped(spans)

    def reading(self, span: StoredSpan) -> ReadBody:
        """Returns what a reading of cards, or a question in it, showed and found; else nothing."""
        outer = span if span.kind == "read" else self.by_number.get(span.parent, span)
        return ReadBody.model_validate(self.trace.body(outer) if outer.kind == "read" else {})

    @property
    def open_spans(self) -> list[StoredSpan]:
        """Returns the unfinished call of a node, and the unfinished span that began last in it."""
        spans = [
            span for span in self.trace.spans if span.seconds is None and span.kind not in ("read", "block")
        ]
        return list({span.number: span for span in (*spans[:1], *spans[-1:])}.values())

    def outer(self, span: StoredSpan, *kinds: str) -> StoredSpan:
        """Returns the span itself if it is of these kinds, else the nearest around it; else the outermost."""
        while span.parent in self.by_number and span.kind not in kinds:
            span = self.by_number[span.parent]
        return span

    def row_of(self, span: StoredSpan) -> int:
        """Returns the number of the span whose row shows this span: for requests the outer span."""
        return self.outer(span, "node", "failure", "ask", "block").number

    def requests_of(self, span: StoredSpan) -> list[StoredSpan]:
        """Returns the requests that were sent for a question."""
        return [attempt for attempt in self.trace.inner[span.number] if attempt.kind == "request"]

    @property
    def figures(self) -> dict[str, str]:
        """Formats the figures of a run, such as edits, scores and cost, by name; without unknown figures."""
        revision, scores, file = self.trace.revision, self.scores, self.trace.file
        edits = Counter(edit.state for edit in self.edits)
        states = [state for state in get_args(EditState) if edits[state] or state != "suggested"]
        statuses = Counter(sentence.status.replace("_", " ") for sentence in self.sentences)
        requests = [span for span in self.trace.spans if span.kind == "request" and span.body]
        shown = {
            "Edits": ", ".join(f"{edits[state]} {state}" for state in states),
            "Sentences": ", ".join(f"{count} {status}" for status, count in statuses.items()),
            "Attribution": f"{number(scores.attribution_before)} → {number(scores.attribution_after)}",
            "Preservation": number(scores.preservation),
            "F1_AP": number(scores.f1_ap),
            "Time": duration(self.seconds if file.seconds is None else file.seconds),
            "Queries": f"{len(self.queries)}, with {counted(len(self.evidence), 'passage')}",
            "Model calls": f"{len(requests):,}",
            "Tokens": tokens(requests),
        }
        if revision is not None and revision.usage.saved_calls:
            shown["Model calls"] += f", {revision.usage.saved_calls:,} saved"
        if revision is not None and revision.usage.cost is not None:
            shown["Cost"] = f"{revision.usage.cost:.6g}"
        return {name: value for name, value in shown.items() if value and not value.endswith(number(None))}

    @property
    def failures(self) -> list[tuple[str, str, list[int]]]:
        """Groups the spans that failed by name and error, with the first rows to look at."""
        alike = _grouped(((span.name, span.error), span) for span in self.trace.spans if span.error)
        return [
            (
                f"{name}, {counted(len(spans), 'time')}",
                error,
                list(dict.fromkeys(map(self.row_of, spans)))[:_MOST],
            )
            for (name, error), spans in alike.items()
        ]

    def data(self, span: StoredSpan) -> dict[str, str]:
        """Returns the data attributes by which the filters of the page select a row."""
        wrong = any(part.error or part.seconds is None for part in (span, *self.trace.inner[span.number]))
        node = self.outer(span, "node", "failure").name
        return {"node": node, "error": "1" if wrong or span.kind == "failure" else ""}

    def bar(self, span: StoredSpan) -> tuple[float, float]:
        """Returns the begin and the length of a span in the timeline, each from 0 to 1000."""
        stop = self.zero + self.seconds if span.seconds is None else span.ended
        wide = max(1000 * (stop - span.started) / self.seconds, 3.0)
        return min(1000 * (span.started - self.zero) / self.seconds, 1000 - wide), wide


def view_of(trace: Trace) -> RunView:
    """Builds the view of a run from its revision, or without a revision from the updates of its nodes."""
    lists = ("queries", "evidence", "checks", "edits", "warnings")
    if (revision := trace.revision) is not None:
        fields = {name: getattr(revision, name) for name in ("original", "text", *lists, "scores")}
        return RunView(trace=trace, sentences=revision.report.sentences, **fields)
    state: Mapping[str, Any] = trace.state()
    text, report = state["text"], state.get("report")
    # If an edit was made after the report, the report is about an earlier text.
    known = [each for each in report.sentences if text[each.start : each.end] == each.text] if report else []
    fields = {name: state.get(name, []) for name in lists} | {"scores": state.get("scores", Scores())}
    return RunView(trace=trace, original=state["original"], text=text, sentences=known, **fields)


def plain_text(value: Any) -> str:
    """Writes a plain value as text: a string as it is, other values as JSON."""
    if isinstance(value, str):
        return value
    value = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def tokens(requests: Iterable[StoredSpan]) -> str:
    """Formats the sums of the tokens of all requests: in, out and cached."""
    counts = [span.body["tokens"] for span in requests if "tokens" in span.body]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> Mapping[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
