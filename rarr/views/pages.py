"""Renders HTML that needs no other files: pages of runs and of items to rate, and cells of notebooks."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

from rarr.evals.rating import FORMAT, QUESTIONS, RatingItem, items_digest
from rarr.ledger.edit_gate import moved_queries
from rarr.records import Edit, Evidence, Report, Revision, Scores, Sentence, Status, Usage
from rarr.records.cards_and_edits import EditState, moved_range
from rarr.records.postprocessing import Postprocessed
from rarr.tools.pages.html_rendering import clip, duration, number, render
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.edit_segments import Piece, pieces_by_place, segments_by_edit
from rarr.tools.text.wording import counted, warning_lines
from rarr.traces.trace_file import ReadBody, RunFacts, StoredSpan, TraceFile
from rarr.traces.trace_reader import Trace

_ROW_KINDS = ("node", "failure", "query", "ask", "block")  # the kinds of spans that have a row on the page


class RunView:
    """The results of a run (also of an unfinished run), and its spans (recorded steps), for templates.

    `queries_by_id`, `evidence_by_id` and `edits_by_id` map an id to its record. `evidence_of` and `edits_of`
    map a query's id to records; `checks_of` maps a passage's id to checks. `pieces_of` and `queries_of` map a
    sentence's number to pieces and query ids. `spans_about` maps a query's or passage's id to spans, without
    requests. `start_time`: the start, in seconds since 1970. `seconds`: from the start to the last event.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace, revision = trace, trace.revision
        results: Any = revision or SimpleNamespace(**({"scores": Scores()} | dict(trace.results())))
        self.original, self.text = results.original, results.text
        parts = (getattr(results, it, ()) for it in ("queries", "evidence", "checks", "edits", "warnings"))
        self.queries, self.evidence, self.checks, self.edits, self.warnings = parts
        report, self.scores = getattr(results, "report", None) or Report(), results.scores
        # If an edit was made after the report, the report may have sentences of an earlier text.
        self.sentences = [it for it in report.sentences if self.text[it.start : it.end] == it.text]
        self.marked = marked_sentences(self.original, self.edits, self.sentences)
        lines = (line.strip(" \t#*_>-`").split() for line in self.text.splitlines())  # without Markdown signs
        title = " ".join(next(filter(None, lines), ()))
        self.title = clip(title, 100) or f"Run {trace.run_id[:12]}"
        self.started = datetime.fromtimestamp(trace.file.started, UTC)
        self.queries_by_id = {query.id: query for query in self.queries}
        self.evidence_by_id = {passage.id: passage for passage in self.evidence}
        self.edits_by_id = {edit.id: edit for edit in self.edits}
        self.pieces_of = {each.number: each.pieces for each in self.marked}
        self.evidence_of = _grouped((passage.query_id, passage) for passage in self.evidence)
        self.edits_of = _grouped((edit.query_id, edit) for edit in self.edits)
        self.checks_of = _grouped((check.evidence_id, check) for check in self.checks)
        self.queries_of = _grouped((n, name) for name, numbers in self.sentences_of.items() for n in numbers)
        self.by_number = {span.number: span for span in trace.spans}
        self.spans_about = _grouped(self._spans_by_subject())
        self.start_time = min((span.started for span in trace.spans), default=trace.file.started)
        self.seconds = max([1e-6, *(span.end_time - self.start_time for span in trace.spans)])

    def _spans_by_subject(self) -> Iterator[tuple[str, StoredSpan]]:
        for span in self.trace.spans:
            if span.kind == "read":
                asks = list(self.trace.inner_spans(span, "ask"))
                yield from ((name, ask) for name in self.record_of_reading(span).evidence for ask in asks)
            elif span.about and span.kind != "request":
                yield span.about, span

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """Maps the id of each query to the numbers (from 1) of the revised sentences that it asks about."""
        places, found = [Span(sentence.start, sentence.end) for sentence in self.sentences], {}
        for query in moved_queries(self.queries, self.edits):
            asked = Span(query.start, max(query.end, query.start + 1))
            found[query.id] = [n for n, place in enumerate(places, start=1) if place.overlaps(asked)]
        return found

    def place_of_edit(self, edit: Edit) -> Span | None:
        """Returns where the revised text has the words of an edit; None if a later edit changed them."""
        later = [each for each in self.edits[[*self.edits_by_id].index(edit.id) + 1 :] if each.accepted]
        words = edit.new if edit.accepted else edit.old
        place = Span(*moved_range(edit.start, edit.start + len(words), later))
        return place if place.of(self.text) == words else None

    def passages_of_sentence(self, sentence: Sentence) -> list[Evidence]:
        """Returns the passages of evidence for a sentence and for its parts, each once."""
        names = [*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    def record_of_reading(self, span: StoredSpan) -> ReadBody:
        """Returns the record of the model's reading that `span` is or belongs to; else an empty record."""
        outer = span if span.kind == "read" else self.by_number.get(span.parent, span)
        return ReadBody.model_validate(self.trace.body(outer) if outer.kind == "read" else {})

    @property
    def unfinished_spans(self) -> list[StoredSpan]:
        """Returns the outermost and the innermost unfinished span; [] if no span is unfinished."""
        spans = [it for it in self.trace.spans if it.seconds is None and it.kind not in ("read", "block")]
        return list({span.number: span for span in (*spans[:1], *spans[-1:])}.values())

    def outer_span(self, span: StoredSpan, *kinds: str) -> StoredSpan:
        """Returns the nearest span of one of `kinds`, from `span` outwards; else the outermost span."""
        while span.parent in self.by_number and span.kind not in kinds:
            span = self.by_number[span.parent]
        return span

    def row_number(self, span: StoredSpan) -> int:
        """Returns the number of the row that shows `span`. A request is in the row of an outer span."""
        return self.outer_span(span, *_ROW_KINDS).number

    def inner_rows(self, span: StoredSpan) -> Iterator[StoredSpan]:
        """Yields the spans inside `span` that have a row of their own. Skips spans inside these rows."""
        for inner in self.trace.inner[span.number]:
            yield from [inner] if inner.kind in _ROW_KINDS else self.inner_rows(inner)

    @property
    def key_figures(self) -> dict[str, str]:
        """Maps the names of the run's key figures, such as Cost, to texts. Leaves out unknown figures."""
        usage, scores, file = getattr(self.trace.revision, "usage", Usage()), self.scores, self.trace.file
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
            "Model calls": f"{len(requests):,}" + f", {usage.saved_calls:,} saved" * bool(usage.saved_calls),
            "Tokens": token_sums(requests),
            "Cost": "" if usage.cost is None or not requests else f"{usage.cost:.6g}",
        }
        return {name: value for name, value in shown.items() if value and not value.endswith(number(None))}

    @property
    def failure_groups(self) -> list[tuple[str, str, list[int]]]:
        """Groups failed spans by name and error: (name and count of spans, error, up to 8 row numbers)."""
        alike = _grouped(((span.name, span.error), span) for span in self.trace.spans if span.error)
        rows = {key: [*dict.fromkeys(map(self.row_number, spans))][:8] for key, spans in alike.items()}
        times = {key: f"{key[0]}, {counted(len(spans), 'time')}" for key, spans in alike.items()}
        return [(times[key], key[1], rows[key]) for key in alike]

    def row_attributes(self, span: StoredSpan) -> dict[str, str]:
        """Returns the HTML data attributes of the row of `span`. The filters of the page use them."""
        wrong = any(part.error or part.seconds is None for part in (span, *self.trace.inner[span.number]))
        node = self.outer_span(span, "node", "failure").name
        return {"node": node, "error": "1" if wrong or span.kind == "failure" else ""}

    def timeline_bar(self, span: StoredSpan) -> tuple[float, float]:
        """Returns the start and the length of the bar of a span in the timeline, each from 0 to 1000."""
        stop = self.start_time + self.seconds if span.seconds is None else span.end_time
        wide = max(1000 * (stop - span.started) / self.seconds, 3.0)
        return min(1000 * (span.started - self.start_time) / self.seconds, 1000 - wide), wide


def value_text(value: Any) -> str:
    """Writes a value as text. A string does not change; any other value is written as JSON."""
    value = dict(value) if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)


def token_sums(requests: Iterable[StoredSpan]) -> str:
    """Writes three sums over the requests: tokens of input, tokens of output, and cached tokens of input."""
    counts = [span.body["tokens"] for span in requests if "tokens" in span.body]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> Mapping[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


class MarkedSentence(NamedTuple):
    """A sentence, its number, and its kept, deleted or inserted pieces. Number 0: text between sentences."""

    number: int
    sentence: Sentence | None
    pieces: list[Piece]


def marked_sentences(text: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> list[MarkedSentence]:
    """Divides the original `text` and its edits into sentences, and the sentences into pieces (`Piece`)."""
    made, count = list[MarkedSentence](), 0
    for sentence, pieces in pieces_by_place(segments_by_edit(text, edits), sentences):
        count += sentence is not None
        parts, start = (sentence.parts, sentence.start) if sentence else ((), 0)
        found = [
            piece._replace(part=part)
            for part, within in pieces_by_place(pieces, parts, start)
            for piece in within
            if piece.text or piece.kind == "deleted"
        ]
        if found:
            made.append(MarkedSentence(count if sentence else 0, sentence, found))
    return made


def status_sentences(sentences: Sequence[Sentence], *statuses: Status) -> list[tuple[int, Sentence]]:
    """Returns (number from 1, sentence) for sentences with one of `statuses`, in the order of `statuses`."""
    numbered = [(n, sentence) for n, sentence in enumerate(sentences, start=1) if sentence.status in statuses]
    return sorted(numbered, key=lambda pair: statuses.index(pair[1].status))


def quote_pieces(text: str, says: Iterable[str], most: int = 600) -> list[tuple[bool, str]]:
    """Quotes about `most` characters of `text`, around the first phrase of `says` that the text has.

    If `text` has no such phrase, quotes the start. Returns pairs: (whether a piece is a phrase, the piece).
    """
    words = sorted({phrase for phrase in says if phrase in text}, key=len, reverse=True)
    first = min((text.find(phrase) for phrase in words), default=0)
    start = max(0, first - most // 3) if first > most // 2 else 0
    shown = f"{'… ' if start else ''}{clip(text[start:], most)}"
    cut = re.split(f"({'|'.join(map(re.escape, words))})", shown) if words else [shown]
    return [(n % 2 == 1, piece) for n, piece in enumerate(cut) if piece]


_HELPERS = {it.__name__: it for it in (warning_lines, value_text, quote_pieces, token_sums, status_sentences)}
"""The functions that templates may call, by their names."""


def trace_page(trace: Trace) -> str:
    """Renders the page of a run. The run may be unfinished. The page can be read without JavaScript."""
    return _render_run("views/html/trace_page/page.html", trace)


def form_page(needs_token: bool) -> str:
    """Renders the page of `rarr serve` with its form. A script fetches the result (see `result_page`)."""
    return render("views/html/served_page/page.html", needs_token=needs_token)


def result_page(revision: Revision, done: Postprocessed) -> str:
    """Renders a result for the page of `rarr serve`. `done` holds the run's outcome and notice."""
    facts = RunFacts(version="", original=revision.original, context=None, settings={}, warnings=[])
    ended = {"seconds": revision.usage.seconds, "revision": revision.model_dump(mode="json")}
    trace = Trace(TraceFile(run_id=revision.run_id, started=0, facts=facts, **ended))
    return _render_run("views/html/served_page/result.html", trace, done=done)


def _render_run(template: str, trace: Trace, **more: Any) -> str:
    return render(template, view=RunView(trace), **_HELPERS, **more)


def label_page(items: Sequence[RatingItem]) -> str:
    """Renders the page of `rarr label`, on which people rate `items`."""
    rows = [item.model_dump(mode="json", exclude_defaults=True) for item in items]
    facts = {"items": rows, "questions": {it.name: it for it in QUESTIONS}, "format": FORMAT}
    return render("views/html/label_page/page.html", digest_of_items=items_digest(items), **facts)


def revision_html(revision: Revision) -> str:
    """Renders a revision for notebooks: the sentences to review, suggested edits, and the marked changes.

    Then come the number of sentences with each status, the sources and the warnings.
    """
    texts = marked_sentences(revision.original, revision.edits, revision.report.sentences)
    return render("views/notebook.html", revision=revision, marked=texts, **_HELPERS)
