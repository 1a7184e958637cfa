"""Holds the results of a run and its trace, and looks up the links between them, for their pages."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rarr.errors import InputError
from rarr.ledger.sentence_support import moved_queries
from rarr.records import Check, Edit, Evidence, Notice, Query, Revision, Scores, Sentence, Status
from rarr.tools.text.blocks_and_sentences import Span
from rarr.traces.critical_path import critical_path, ended
from rarr.traces.span_body_schema import ReadBody
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.marked_markdown import Marked, marked, with_status


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of a run. `revision` is None if the run did not come to its end.

    `decidable`: the reader of the page may accept and refuse suggested edits; `decided` has the ids of those
    about which the reader has decided. `citations` are the numbers of cited sources by the numbers of
    sentences, from 1; `cited_text` is the text with them.
    """

    original: str
    text: str
    queries: Sequence[Query]
    evidence: Sequence[Evidence]
    checks: Sequence[Check]
    edits: Sequence[Edit]
    sentences: Sequence[Sentence]
    warnings: Sequence[Notice]
    scores: Scores = field(default_factory=Scores)
    revision: Revision | None
    decidable: bool = False
    decided: Collection[str] = ()
    citations: Mapping[int, int] = field(default_factory=dict)
    cited_text: str = ""

    @property
    def about(self) -> Mapping[str, list[Any]]:
        """Groups by id the calls about a query or an evidence. Only a trace has them."""
        return defaultdict(list)

    def nodes_about(self, query: Query) -> list[str]:
        """Names the nodes that worked on a query or its evidence. Only a trace tells them."""
        return []

    def asked_in(self, edit: Edit) -> list[Any]:
        """Returns the questions to models from which an edit came. Only a trace has them."""
        return []

    @cached_property
    def evidence_of(self) -> dict[str, list[Evidence]]:
        """Groups the evidence by the id of its query."""
        evidence: dict[str, list[Evidence]] = defaultdict(list)
        for passage in self.evidence:
            evidence[passage.query_id].append(passage)
        return evidence

    @cached_property
    def evidence_by_id(self) -> dict[str, Evidence]:
        """Maps ids to evidence."""
        return {passage.id: passage for passage in self.evidence}

    @cached_property
    def checks_of(self) -> dict[str, list[Check]]:
        """Groups the checks by the id of their evidence, in the order in which they were made."""
        checks: dict[str, list[Check]] = defaultdict(list)
        for check in self.checks:
            checks[check.evidence_id].append(check)
        return checks

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """Maps the id of each query to the numbers, from 1, of the revised sentences that it is about."""
        return {
            query.id: [
                n
                for n, sentence in enumerate(self.sentences, start=1)
                if Span(sentence.start, sentence.end).overlaps(
                    Span(query.start, max(query.end, query.start + 1))
                )
            ]
            for query in moved_queries(self.queries, self.edits)
        }

    def verdicts(self, evidence: Iterable[Evidence]) -> list[str]:
        """Returns the verdicts of the last checks of this evidence, each verdict once."""
        last = (
            self.checks_of[passage.id][-1].verdict for passage in evidence if self.checks_of.get(passage.id)
        )
        return list(dict.fromkeys(last))

    def edits_of(self, query: Query) -> list[Edit]:
        """Returns the edits that resulted from a query."""
        return [edit for edit in self.edits if edit.query_id == query.id]

    def edit(self, name: str) -> Edit | None:
        """Returns the edit with this id; None if there is none."""
        return next((edit for edit in self.edits if edit.id == name), None)

    @cached_property
    def marked(self) -> Marked:
        """Renders the text's Markdown, and marks its edits, sentences and deciding words."""
        return marked(self.original, self.edits, self.sentences)

    def with_status(self, *statuses: Status) -> list[tuple[int, Sentence]]:
        """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
        return with_status(self.sentences, *statuses)

    def passages(self, sentence: Sentence, state: str = "") -> list[Evidence]:
        """Returns the evidence of a sentence and its parts; with a `state`, of its parts in this state."""
        parts = [part.evidence_id for part in sentence.parts if state in ("", part.state)]
        names = parts if state else [*sentence.evidence_ids, *parts]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    def answers(self, edit: Edit) -> list[str]:
        """Returns the answers that the checks found in an edit's evidence, or else the edit's new words."""
        checks = self.checks_of.get(edit.evidence_id, [])
        return [check.evidence_answer for check in checks if check.evidence_answer] or [edit.new]

    def with_suggested(self, edit: Edit) -> Edit | None:
        """Returns the suggested edit as it would change the revised text; None if it no longer fits."""
        try:
            return self.revision.accept(edit.id).edits[-1] if self.revision else None
        except InputError:
            return None


def fields_of(revision: Revision) -> dict[str, Any]:
    """Returns the fields of `Results` that a revision has."""
    same = ("original", "text", "queries", "evidence", "checks", "edits", "warnings", "scores")
    sentences = revision.report.sentences
    return {name: getattr(revision, name) for name in same} | {"sentences": sentences, "revision": revision}


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
