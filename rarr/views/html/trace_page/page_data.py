"""Holds the trace of a run with its results, and looks up the links between them, for its page."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rarr.records import Edit, Evidence, Query, Scores
from rarr.traces.critical_path import critical_path, ended
from rarr.traces.span_body_schema import ReadBody
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.html.result_lookup import Results, fields_of


@dataclass(frozen=True, kw_only=True)
class View(Results):
    """The trace and the results of a run. Without a revision, the results are those of its nodes so far."""

    trace: Trace

    @property
    def spans(self) -> list[StoredSpan]:
        """Returns all recorded spans."""
        return self.trace.spans

    @cached_property
    def path(self) -> list[StoredSpan]:
        """Finds the spans that determined how long the run took."""
        return critical_path(self.trace.inner)

    @cached_property
    def critical(self) -> set[int]:
        """Returns the numbers of the spans of the critical path."""
        return {span.number for span in self.path}

    @cached_property
    def zero(self) -> float:
        """Returns when the first span began, by the clock of the spans, in seconds since 1970."""
        return min((span.started for span in self.spans), default=self.trace.file.started)

    @cached_property
    def seconds(self) -> float:
        """Computes the seconds from the first span to the last recorded event, at least 1e-6."""
        known = (span.started + (span.seconds or 0.0) for span in self.spans)
        return max(max(known, default=self.zero) - self.zero, 1e-6)

    @cached_property
    def by_number(self) -> dict[int, StoredSpan]:
        """Maps the numbers of spans to the spans."""
        return {span.number: span for span in self.spans}

    @cached_property
    def about(self) -> dict[str, list[StoredSpan]]:
        """Groups the spans that are about a query or an evidence by its id, without requests."""
        spans: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in self.spans:
            if span.kind == "read":
                for evidence_id in self.reading(span).evidence:
                    spans[evidence_id] += self.trace.within(span, "ask")
            elif span.about and span.kind != "request":
                spans[span.about].append(span)
        return spans

    def reading(self, span: StoredSpan) -> ReadBody:
        """Returns what a reading of cards, or a question in it, showed and found; else nothing."""
        outer = span if span.kind == "read" else self.by_number.get(span.parent, span)
        body = self.trace.body(outer) if outer.kind == "read" else {}
        return ReadBody() if "block" in body else ReadBody.model_validate(body)

    @cached_property
    def asked(self) -> dict[str, Query]:
        """Maps ids to queries."""
        return {query.id: query for query in self.queries}

    @property
    def open_spans(self) -> list[StoredSpan]:
        """Returns the unfinished spans of the critical path, which tell where an interrupted run stopped."""
        return [span for span in self.path if span.seconds is None and span.kind != "read"]

    def node_of(self, span: StoredSpan) -> str:
        """Returns the name of the node whose call contains the span."""
        while span.parent in self.by_number and span.kind not in ("node", "failure"):
            span = self.by_number[span.parent]
        return span.name

    def subject(self, span: StoredSpan) -> tuple[Evidence | None, Query | None, list[Edit]]:
        """Returns the evidence and the query that a span is about (or None), and the edits from them."""
        evidence, query = self.evidence_by_id.get(span.about), self.query_of(span.about)
        edits = self.edits_of(query) if query else []
        return evidence, query, [edit for edit in edits if not evidence or edit.evidence_id == evidence.id]

    def nodes_about(self, query: Query) -> list[str]:
        """Names the nodes that worked on a query or its evidence."""
        names = (query.id, *(passage.id for passage in self.evidence_of[query.id]))
        return list(dict.fromkeys(self.node_of(span) for name in names for span in self.about[name]))

    def query_of(self, name: str) -> Query | None:
        """Returns the query with this id, or the query of the evidence with this id; None if neither."""
        evidence = self.evidence_by_id.get(name)
        return self.asked.get(evidence.query_id if evidence else name)

    def asked_in(self, edit: Edit) -> list[StoredSpan]:
        """Returns the questions to models of the node edit about the query of `edit`."""
        return [span for span in self.about[edit.query_id] if span.kind == "ask" and span.name == "edit"]

    @property
    def title(self) -> str:
        """Returns the first line of the text, or the name of the run."""
        return self.marked.title or f"Run {self.trace.run_id[:12]}"

    def linkable(self, span: StoredSpan) -> StoredSpan:
        """Returns the span whose row shows this span: for requests and scorings the outer span."""
        return self.by_number.get(span.parent, span) if span.kind in ("request", "score") else span

    def requests_of(self, span: StoredSpan) -> list[StoredSpan]:
        """Returns the requests that were sent for a question."""
        return [attempt for attempt in self.trace.inner[span.number] if attempt.kind == "request"]

    def bodies(self, spans: Iterable[StoredSpan]) -> list[Mapping[str, Any]]:
        """Unpacks the bodies of these spans."""
        return [self.trace.body(span) for span in spans]

    @cached_property
    def asks_by_prompt(self) -> Counter[str]:
        """Counts how often each prompt was asked, by its hash."""
        return Counter(span.body["prompt"] for span in self.spans if span.kind == "ask" and span.body)


def view_of(trace: Trace) -> View:
    """Builds the view of a run from its revision, or without a revision from the updates of its nodes."""
    if trace.revision is not None:
        return View(trace=trace, **fields_of(trace.revision))
    state = trace.state()
    text, report = state["text"], state.get("report")
    sentences = report.sentences if report else ()
    return View(
        trace=trace,
        original=state["original"],
        text=text,
        queries=state.get("queries", []),
        evidence=state.get("evidence", []),
        checks=state.get("checks", []),
        edits=state.get("edits", []),
        # If an edit was made after the report, the report is about an earlier text.
        sentences=[
            sentence for sentence in sentences if text[sentence.start : sentence.end] == sentence.text
        ],
        warnings=state["warnings"],
        scores=state.get("scores", Scores()),
        revision=None,
    )


def stopped(span: StoredSpan, view: View) -> float:
    """Returns when the span ended, or for an unfinished span when the last event was recorded."""
    return min(ended(span), view.zero + view.seconds)
