"""What a run came to, and who speaks of whom in it, as all parts of its page need it."""

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
from rarr.traces.file import StoredSpan
from rarr.traces.trace import Trace
from rarr.views.marked import Marked, marked, with_status


@dataclass(frozen=True)
class View:
    """A run for its page. Of one without a revision it has what the nodes came to."""

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
        """All that was recorded."""
        return self.trace.spans

    @cached_property
    def path(self) -> list[StoredSpan]:
        """The critical path."""
        return critical_path(self.trace.inner)

    @cached_property
    def critical(self) -> set[int]:
        """The numbers of the spans of the critical path."""
        return {one.number for one in self.path}

    @cached_property
    def zero(self) -> float:
        """When the first span began: spans have a clock of their own."""
        return min((one.started for one in self.spans), default=self.trace.file.started)

    @cached_property
    def seconds(self) -> float:
        """From the first span to the last thing that is known of."""
        known = (one.started + (one.seconds or 0.0) for one in self.spans)
        return max(max(known, default=self.zero) - self.zero, 1e-6)

    @cached_property
    def by_number(self) -> dict[int, StoredSpan]:
        """The spans by their numbers."""
        return {one.number: one for one in self.spans}

    @cached_property
    def about(self) -> dict[str, list[StoredSpan]]:
        """The questions, searches and scorings for each query and evidence."""
        found: dict[str, list[StoredSpan]] = defaultdict(list)
        for one in self.spans:
            if one.about and one.kind != "request":
                found[one.about].append(one)
        return found

    @cached_property
    def evidence_of(self) -> dict[str, list[Evidence]]:
        """That of each query."""
        found: dict[str, list[Evidence]] = defaultdict(list)
        for one in self.evidence:
            found[one.query_id].append(one)
        return found

    @cached_property
    def found(self) -> dict[str, Evidence]:
        """Evidence by its id."""
        return {one.id: one for one in self.evidence}

    @cached_property
    def asked(self) -> dict[str, Query]:
        """Queries by their ids."""
        return {one.id: one for one in self.queries}

    @cached_property
    def checks_of(self) -> dict[str, list[Check]]:
        """Those of each evidence, the last one last."""
        found: dict[str, list[Check]] = defaultdict(list)
        for one in self.checks:
            found[one.evidence_id].append(one)
        return found

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """The sentences, counted from 1, that each query is about."""
        return {
            one.id: [
                n
                for n, sentence in enumerate(self.sentences, start=1)
                if Span(sentence.start, sentence.end).overlaps(Span(one.start, max(one.end, one.start + 1)))
            ]
            for one in moved_queries(self.queries, self.edits)
        }

    @property
    def open_spans(self) -> list[StoredSpan]:
        """Those of the critical path that had not ended: where a run that was cut short stood."""
        return [one for one in self.path if one.seconds is None]

    def node_of(self, span: StoredSpan) -> str:
        """The name of the node whose call a span is in."""
        while span.parent in self.by_number and span.kind not in ("node", "failure"):
            span = self.by_number[span.parent]
        return span.name

    def verdicts(self, evidence: Iterable[Evidence]) -> list[str]:
        """What their last checks say, each verdict once."""
        last = (self.checks_of[one.id][-1].verdict for one in evidence if self.checks_of.get(one.id))
        return list(dict.fromkeys(last))

    def edits_of(self, query: Query) -> list[Edit]:
        """The edits that a query led to."""
        return [edit for edit in self.edits if edit.query_id == query.id]

    def subject(self, span: StoredSpan) -> tuple[Evidence | None, Query | None, list[Edit]]:
        """The evidence and the query that a span is about, and the edits that these led to."""
        evidence, query = self.found.get(span.about), self.query_of(span.about)
        edits = self.edits_of(query) if query else []
        return evidence, query, [one for one in edits if not evidence or one.evidence_id == evidence.id]

    def nodes_about(self, query: Query) -> list[str]:
        """The nodes that did something for a query."""
        names = (query.id, *(one.id for one in self.evidence_of[query.id]))
        return list(dict.fromkeys(self.node_of(one) for name in names for one in self.about[name]))

    def query_of(self, name: str) -> Query | None:
        """The query of this name, or that of the evidence of this name."""
        evidence = self.found.get(name)
        return self.asked.get(evidence.query_id if evidence else name)

    def edit(self, name: str) -> Edit | None:
        """The edit of this name."""
        return next((edit for edit in self.edits if edit.id == name), None)

    def asked_in(self, edit: Edit) -> list[StoredSpan]:
        """The questions that proposed an edit."""
        return [one for one in self.about[edit.query_id] if one.kind == "ask" and one.name == "edit"]

    @cached_property
    def marked(self) -> Marked:
        """The text with its Markdown rendered and its edits, sentences and parts marked."""
        return marked(self.original, self.edits, self.sentences)

    @property
    def title(self) -> str:
        """The first line of the text, or what the run is called."""
        return self.marked.title or f"Run {self.trace.run_id[:12]}"

    def with_status(self, *statuses: Status) -> list[tuple[int, Sentence]]:
        """The sentences of these statuses, counted from 1, in the order of the statuses."""
        return with_status(self.sentences, *statuses)

    def passages(self, sentence: Sentence, state: str = "") -> list[Evidence]:
        """The evidence of a sentence and of its parts, or of its parts of this state alone."""
        parts = [part.evidence_id for part in sentence.parts if state in ("", part.state)]
        names = parts if state else [*sentence.evidence_ids, *parts]
        return [self.found[name] for name in dict.fromkeys(names) if name in self.found]

    def answers(self, edit: Edit) -> list[str]:
        """What an edit's passage says where the text says something else."""
        checks = self.checks_of.get(edit.evidence_id, [])
        return [one.evidence_answer for one in checks if one.evidence_answer] or [edit.new]

    def with_suggested(self, edit: Edit) -> Edit | None:
        """A suggested edit as it would change the revised text; None where it no longer fits there."""
        try:
            return self.trace.revision.accept(edit.id).edits[-1] if self.trace.revision else None
        except InputError:
            return None

    def linkable(self, span: StoredSpan) -> StoredSpan:
        """The span that has a row of its own: an attempt and a scoring stand with what asked for them."""
        return self.by_number.get(span.parent, span) if span.kind in ("request", "score") else span

    def requests_of(self, span: StoredSpan) -> list[StoredSpan]:
        """The attempts at a question."""
        return [one for one in self.trace.inner[span.number] if one.kind == "request"]

    def bodies(self, spans: Iterable[StoredSpan]) -> list[Mapping[str, Any]]:
        """What these spans saw and wrote."""
        return [self.trace.body(one) for one in spans]

    @cached_property
    def asks_by_prompt(self) -> Counter[str]:
        """How often each prompt was asked, by its hash."""
        return Counter(one.body["prompt"] for one in self.spans if one.kind == "ask" and one.body)


def view_of(trace: Trace) -> View:
    """From the revision; without one, from the updates of the nodes."""
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
        # A report that an edit followed is about another text.
        [one for one in sentences if text[one.start : one.end] == one.text],
        state["warnings"],
        state.get("scores", Scores()),
    )


def stopped(span: StoredSpan, view: View) -> float:
    """When it ended, or the last thing that is known of the run."""
    return min(ended(span), view.zero + view.seconds)
