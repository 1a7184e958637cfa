"""The results of a run and the links between them, which all parts of its page need."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rarr.errors import InputError
from rarr.ledger.support import moved_queries
from rarr.records import Check, Edit, Evidence, Notice, Query, Scores, Sentence, Status
from rarr.tools.text.document import Span
from rarr.traces.critical import critical_path, ended
from rarr.traces.trace import Trace
from rarr.traces.trace_file import StoredSpan
from rarr.views.marked import Marked, marked, with_status


@dataclass(frozen=True)
class View:
    """A run for its page. For a run without a revision, it has the results of the nodes."""

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

    @property
    def spans(self) -> list[StoredSpan]:
        """All recorded spans."""
        return self.trace.spans

    @cached_property
    def path(self) -> list[StoredSpan]:
        """The critical path."""
        return critical_path(self.trace.inner)

    @cached_property
    def critical(self) -> set[int]:
        """The numbers of the spans of the critical path."""
        return {span.number for span in self.path}

    @cached_property
    def zero(self) -> float:
        """The time at which the first span began. Spans have their own clock."""
        return min((span.started for span in self.spans), default=self.trace.file.started)

    @cached_property
    def seconds(self) -> float:
        """The seconds from the first span to the last recorded event."""
        known = (span.started + (span.seconds or 0.0) for span in self.spans)
        return max(max(known, default=self.zero) - self.zero, 1e-6)

    @cached_property
    def by_number(self) -> dict[int, StoredSpan]:
        """The spans by their numbers."""
        return {span.number: span for span in self.spans}

    @cached_property
    def about(self) -> dict[str, list[StoredSpan]]:
        """The questions, searches and scorings for each query and each evidence, by its id."""
        spans: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in self.spans:
            if span.about and span.kind != "request":
                spans[span.about].append(span)
        return spans

    @cached_property
    def evidence_of(self) -> dict[str, list[Evidence]]:
        """The evidence of each query, by the query's id."""
        evidence: dict[str, list[Evidence]] = defaultdict(list)
        for passage in self.evidence:
            evidence[passage.query_id].append(passage)
        return evidence

    @cached_property
    def evidence_by_id(self) -> dict[str, Evidence]:
        """Evidence by its id."""
        return {passage.id: passage for passage in self.evidence}

    @cached_property
    def asked(self) -> dict[str, Query]:
        """Queries by their ids."""
        return {query.id: query for query in self.queries}

    @cached_property
    def checks_of(self) -> dict[str, list[Check]]:
        """The checks of each evidence, by its id, in the order in which they were made."""
        checks: dict[str, list[Check]] = defaultdict(list)
        for check in self.checks:
            checks[check.evidence_id].append(check)
        return checks

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """The sentences, counted from 1, that each query is about."""
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

    @property
    def open_spans(self) -> list[StoredSpan]:
        """The spans of the critical path that had not ended. They tell where an interrupted run stopped."""
        return [span for span in self.path if span.seconds is None]

    def node_of(self, span: StoredSpan) -> str:
        """The name of the node whose call contains the span."""
        while span.parent in self.by_number and span.kind not in ("node", "failure"):
            span = self.by_number[span.parent]
        return span.name

    def verdicts(self, evidence: Iterable[Evidence]) -> list[str]:
        """The verdicts of their last checks, each verdict once."""
        last = (
            self.checks_of[passage.id][-1].verdict for passage in evidence if self.checks_of.get(passage.id)
        )
        return list(dict.fromkeys(last))

    def edits_of(self, query: Query) -> list[Edit]:
        """The edits that resulted from a query."""
        return [edit for edit in self.edits if edit.query_id == query.id]

    def subject(self, span: StoredSpan) -> tuple[Evidence | None, Query | None, list[Edit]]:
        """The evidence and the query that a span is about, and the edits that resulted from them."""
        evidence, query = self.evidence_by_id.get(span.about), self.query_of(span.about)
        edits = self.edits_of(query) if query else []
        return evidence, query, [edit for edit in edits if not evidence or edit.evidence_id == evidence.id]

    def nodes_about(self, query: Query) -> list[str]:
        """The nodes that worked on a query."""
        names = (query.id, *(passage.id for passage in self.evidence_of[query.id]))
        return list(dict.fromkeys(self.node_of(span) for name in names for span in self.about[name]))

    def query_of(self, name: str) -> Query | None:
        """The query with this id, or the query of the evidence with this id."""
        evidence = self.evidence_by_id.get(name)
        return self.asked.get(evidence.query_id if evidence else name)

    def edit(self, name: str) -> Edit | None:
        """The edit with this id."""
        return next((edit for edit in self.edits if edit.id == name), None)

    def asked_in(self, edit: Edit) -> list[StoredSpan]:
        """The questions that proposed an edit."""
        return [span for span in self.about[edit.query_id] if span.kind == "ask" and span.name == "edit"]

    @cached_property
    def marked(self) -> Marked:
        """The text with its Markdown rendered and its edits, sentences and parts marked."""
        return marked(self.original, self.edits, self.sentences)

    @property
    def title(self) -> str:
        """The first line of the text, or the name of the run."""
        return self.marked.title or f"Run {self.trace.run_id[:12]}"

    def with_status(self, *statuses: Status) -> list[tuple[int, Sentence]]:
        """The sentences of these statuses, counted from 1, in the order of the statuses."""
        return with_status(self.sentences, *statuses)

    def passages(self, sentence: Sentence, state: str = "") -> list[Evidence]:
        """The evidence of a sentence and its parts; with a `state`, only that of its parts in this state."""
        parts = [part.evidence_id for part in sentence.parts if state in ("", part.state)]
        names = parts if state else [*sentence.evidence_ids, *parts]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    def answers(self, edit: Edit) -> list[str]:
        """The answers of an edit's evidence in its checks, or else the new words of the edit."""
        checks = self.checks_of.get(edit.evidence_id, [])
        return [check.evidence_answer for check in checks if check.evidence_answer] or [edit.new]

    def with_suggested(self, edit: Edit) -> Edit | None:
        """The suggested edit as it would change the revised text. None if it no longer fits there."""
        try:
            return self.trace.revision.accept(edit.id).edits[-1] if self.trace.revision else None
        except InputError:
            return None

    def linkable(self, span: StoredSpan) -> StoredSpan:
        """The span that has its own row. Attempts and scorings are shown in the row of their outer span."""
        return self.by_number.get(span.parent, span) if span.kind in ("request", "score") else span

    def requests_of(self, span: StoredSpan) -> list[StoredSpan]:
        """The attempts at a question."""
        return [attempt for attempt in self.trace.inner[span.number] if attempt.kind == "request"]

    def bodies(self, spans: Iterable[StoredSpan]) -> list[Mapping[str, Any]]:
        """The bodies of these spans."""
        return [self.trace.body(span) for span in spans]

    @cached_property
    def asks_by_prompt(self) -> Counter[str]:
        """How often each prompt was asked, by its hash."""
        return Counter(span.body["prompt"] for span in self.spans if span.kind == "ask" and span.body)


def view_of(trace: Trace) -> View:
    """The view of a run: from its revision, or without a revision from the updates of its nodes."""
    if (made := trace.revision) is not None:
        return View(
            trace, made.original, made.text, made.queries, made.evidence, made.checks, made.edits,
            made.report.sentences, made.warnings, made.scores,
        )  # fmt: skip
    state = trace.state()
    text, report = state["text"], state.get("report")
    sentences = report.sentences if report else ()
    return View(
        trace,
        state["original"],
        text,
        state.get("queries", []),
        state.get("evidence", []),
        state.get("checks", []),
        state.get("edits", []),
        # If an edit was made after the report, the report is about an earlier text.
        [sentence for sentence in sentences if text[sentence.start : sentence.end] == sentence.text],
        state["warnings"],
        state.get("scores", Scores()),
    )


def stopped(span: StoredSpan, view: View) -> float:
    """The time at which the span ended, or else the time of the last recorded event of the run."""
    return min(ended(span), view.zero + view.seconds)
