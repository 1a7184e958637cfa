"""Renders HTML that loads nothing, to be written as UTF-8: pages of runs and of items, cells of notebooks."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

from rarr.evals.rating import FORMAT, QUESTIONS, RatingItem, items_digest
from rarr.ledger.edit_gate import moved_queries
from rarr.records import Edit, Evidence, Part, Report, Revision, Scores, Sentence, Status, Usage
from rarr.records.cards_and_edits import EditState, moved_range
from rarr.records.postprocessing import Postprocessed
from rarr.tools.pages.html_rendering import clip, duration, number, render
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.edit_segments import Kind, pieces_by_sentence, segments_by_edit
from rarr.tools.text.wording import counted, warning_lines
from rarr.traces.trace_file import ReadBody, RunFacts, StoredSpan, TraceFile
from rarr.traces.trace_reader import Trace

_MOST = 8  # links to spans that failed in the same way


class RunView:
    """The trace and the results of a run. Without a revision, the results are those of its nodes so far.

    `queries_by_id`, `evidence_by_id` and `edits_by_id` map ids, `evidence_of` and `edits_of` ids of queries,
    `checks_of` ids of evidence, `runs_of` and `queries_of` numbers of sentences. `about` has the spans of an
    id, without requests. `zero` is when the first span began, by the clock of the spans, and `seconds` the
    time from it to the last recorded event, at least 1e-6.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace, revision = trace, trace.revision
        results: Any = revision or SimpleNamespace(**({"scores": Scores()} | dict(trace.results())))
        self.original, self.text = results.original, results.text
        parts = (getattr(results, it, ()) for it in ("queries", "evidence", "checks", "edits", "warnings"))
        self.queries, self.evidence, self.checks, self.edits, self.warnings = parts
        report, self.scores = getattr(results, "report", None) or Report(), results.scores
        # If an edit was made after the report, the report is about an earlier text.
        self.sentences = [it for it in report.sentences if self.text[it.start : it.end] == it.text]
        self.marked = marked(self.original, self.edits, self.sentences)
        lines = (line.strip(" \t#*_>-`").split() for line in self.text.splitlines())  # no marks of Markdown
        title = " ".join(next(filter(None, lines), ()))
        self.title = clip(title, 100) or f"Run {trace.run_id[:12]}"
        self.started = datetime.fromtimestamp(trace.file.started, UTC)
        self.queries_by_id = {query.id: query for query in self.queries}
        self.evidence_by_id = {passage.id: passage for passage in self.evidence}
        self.edits_by_id = {edit.id: edit for edit in self.edits}
        self.runs_of = {each.number: each.runs for each in self.marked}
        self.evidence_of = _grouped((passage.query_id, passage) for passage in self.evidence)
        self.edits_of = _grouped((edit.query_id, edit) for edit in self.edits)
        self.checks_of = _grouped((check.evidence_id, check) for check in self.checks)
        self.queries_of = _grouped((n, name) for name, numbers in self.sentences_of.items() for n in numbers)
        self.by_number = {span.number: span for span in trace.spans}
        self.about = _grouped(self._subjects())
        self.zero = min((span.started for span in trace.spans), default=trace.file.started)
        self.seconds = max(max((span.end_time for span in trace.spans), default=self.zero) - self.zero, 1e-6)

    def _subjects(self) -> Iterator[tuple[str, StoredSpan]]:
        for span in self.trace.spans:
            if span.kind == "read":
                asks = list(self.trace.inner_spans(span, "ask"))
                yield from ((name, ask) for name in self.reading(span).evidence for ask in asks)
            elif span.about and span.kind != "request":
                yield span.about, span

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """Maps the id of each query to the numbers, from 1, of the revised sentences that it is about."""
        places, found = [Span(sentence.start, sentence.end) for sentence in self.sentences], {}
        for query in moved_queries(self.queries, self.edits):
            asked = Span(query.start, max(query.end, query.start + 1))
            found[query.id] = [n for n, place in enumerate(places, start=1) if place.overlaps(asked)]
        return found

    def place(self, edit: Edit) -> Span | None:
        """Returns where the words of an edit stand in the text; None where another edit changed them."""
        later = [each for each in self.edits[[*self.edits_by_id].index(edit.id) + 1 :] if each.accepted]
        words = edit.new if edit.accepted else edit.old
        place = Span(*moved_range(edit.start, edit.start + len(words), later))
        return place if place.of(self.text) == words else None

    def passages(self, sentence: Sentence) -> list[Evidence]:
        """Returns the evidence of a sentence and its parts."""
        names = [*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    def reading(self, span: StoredSpan) -> ReadBody:
        """Returns what a reading of cards, or a question in it, showed and found; else nothing."""
        outer = span if span.kind == "read" else self.by_number.get(span.parent, span)
        return ReadBody.model_validate(self.trace.body(outer) if outer.kind == "read" else {})

    @property
    def open_spans(self) -> list[StoredSpan]:
        """Returns the unfinished call of a node, and the unfinished span that began last in it."""
        spans = [it for it in self.trace.spans if it.seconds is None and it.kind not in ("read", "block")]
        return list({span.number: span for span in (*spans[:1], *spans[-1:])}.values())

    def outer(self, span: StoredSpan, *kinds: str) -> StoredSpan:
        """Returns the span itself if it is of these kinds, else the nearest around it; else the outermost."""
        while span.parent in self.by_number and span.kind not in kinds:
            span = self.by_number[span.parent]
        return span

    def row_of(self, span: StoredSpan) -> int:
        """Returns the number of the span whose row shows this span: for requests the outer span."""
        return self.outer(span, "node", "failure", "ask", "block").number

    @property
    def figures(self) -> dict[str, str]:
        """Formats the figures of a run, such as edits, scores and cost, by name; without unknown figures."""
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
            "Tokens": tokens(requests),
            "Cost": "" if usage.cost is None or not requests else f"{usage.cost:.6g}",
        }
        return {name: value for name, value in shown.items() if value and not value.endswith(number(None))}

    @property
    def failures(self) -> list[tuple[str, str, list[int]]]:
        """Groups the spans that failed by name and error, with the first rows to look at."""
        alike = _grouped(((span.name, span.error), span) for span in self.trace.spans if span.error)
        rows = {key: [*dict.fromkeys(map(self.row_of, spans))][:_MOST] for key, spans in alike.items()}
        times = {key: f"{key[0]}, {counted(len(spans), 'time')}" for key, spans in alike.items()}
        return [(times[key], key[1], rows[key]) for key in alike]

    def data(self, span: StoredSpan) -> dict[str, str]:
        """Returns the data attributes by which the filters of the page select a row."""
        wrong = any(part.error or part.seconds is None for part in (span, *self.trace.inner[span.number]))
        node = self.outer(span, "node", "failure").name
        return {"node": node, "error": "1" if wrong or span.kind == "failure" else ""}

    def bar(self, span: StoredSpan) -> tuple[float, float]:
        """Returns the begin and the length of a span in the timeline, each from 0 to 1000."""
        stop = self.zero + self.seconds if span.seconds is None else span.end_time
        wide = max(1000 * (stop - span.started) / self.seconds, 3.0)
        return min(1000 * (span.started - self.zero) / self.seconds, 1000 - wide), wide


def plain_text(value: Any) -> str:
    """Writes a plain value as text: a string as it is, other values as JSON."""
    value = dict(value) if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)


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


class MarkedRun(NamedTuple):
    """Characters with the same mark: kind of change, id of the edit, and part of the sentence.

    A `deleted` run is not in the revised text. The run of an edit that was not accepted is empty.
    """

    kind: Kind
    text: str
    edit: str = ""
    part: Part | None = None


class MarkedSentence(NamedTuple):
    """The runs of a sentence, with its number from 1; number 0 and None between sentences."""

    number: int
    sentence: Sentence | None
    runs: list[MarkedRun]


def marked(original: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> list[MarkedSentence]:
    """Returns the text in order, by sentence: runs with their edits and parts."""
    made, at, count = list[MarkedSentence](), 0, 0
    for sentence, pieces in pieces_by_sentence(segments_by_edit(original, edits), sentences):
        count += sentence is not None
        runs = list[MarkedRun]()
        for kind, text, edit in pieces:
            if kind == "deleted":
                runs.append(MarkedRun(kind, text, edit))
                continue
            cut = _cut(at, at + len(text), sentence.parts if sentence else ())
            runs += [MarkedRun(kind, text[start - at : end - at], edit, part) for start, end, part in cut]
            at += len(text)
        if runs:
            made.append(MarkedSentence(count if sentence else 0, sentence, runs))
    return made


def _cut(start: int, end: int, parts: Sequence[Part]) -> Iterator[tuple[int, int, Part | None]]:
    """Yields the range in pieces, cut at the parts, with their part or None. Earlier parts win overlaps."""
    ordered = sorted(parts, key=lambda part: part.start)
    bounds = (min(max(at, start), end) for part in parts for at in (part.start, part.end))
    for begin, stop in pairwise(sorted({start, end, *bounds})):
        yield begin, stop, next((part for part in ordered if part.start <= begin < part.end), None)


def with_status(sentences: Sequence[Sentence], *statuses: Status) -> list[tuple[int, Sentence]]:
    """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
    numbered = [(n, sentence) for n, sentence in enumerate(sentences, start=1) if sentence.status in statuses]
    return sorted(numbered, key=lambda pair: statuses.index(pair[1].status))


def quoted(text: str, says: Iterable[str], most: int = 600) -> list[tuple[bool, str]]:
    """Quotes at most `most` characters of a passage, from its start or around the first phrase of `says`.

    Returns the quote in pieces; True marks a piece that is such a phrase.
    """
    words = sorted({phrase for phrase in says if phrase in text}, key=len, reverse=True)
    first = min((text.find(phrase) for phrase in words), default=0)
    start = max(0, first - most // 3) if first > most // 2 else 0
    shown = f"{'… ' if start else ''}{clip(text[start:], most)}"
    cut = re.split(f"({'|'.join(map(re.escape, words))})", shown) if words else [shown]
    return [(n % 2 == 1, piece) for n, piece in enumerate(cut) if piece]


_HELPERS = {it.__name__: it for it in (warning_lines, plain_text, quoted, tokens, with_status)}
"""The functions of the templates, by name."""


def trace_page(trace: Trace) -> str:
    """Renders the page of a run, readable without its script; an unfinished run as far as it came."""
    return _rendered("views/html/trace_page/page.html", trace)


def served_page(needs_token: bool) -> str:
    """Renders the page of a server: a form, whose script fetches the result."""
    return render("views/html/served_page/page.html", needs_token=needs_token)


def served_result(revision: Revision, done: Postprocessed) -> str:
    """Renders the result of a server as a run without spans; `done` has the outcome and its notice."""
    facts = RunFacts(version="", original=revision.original, context=None, settings={}, warnings=[])
    ended = {"seconds": revision.usage.seconds, "revision": revision.model_dump(mode="json")}
    trace = Trace(TraceFile(run_id=revision.run_id, started=0, facts=facts, **ended))
    return _rendered("views/html/served_page/result.html", trace, done=done)


def _rendered(template: str, trace: Trace, **more: Any) -> str:
    return render(template, view=RunView(trace), **_HELPERS, **more)


def label_page(items: Sequence[RatingItem]) -> str:
    """Renders the page on which people rate these items."""
    rows = [item.model_dump(mode="json", exclude_defaults=True) for item in items]
    facts = {"items": rows, "questions": {it.name: it for it in QUESTIONS}, "format": FORMAT}
    return render("views/html/label_page/page.html", digest_of_items=items_digest(items), **facts)


def revision_html(revision: Revision) -> str:
    """Renders a revision for notebooks: sentences to look at, suggested edits, and the marked text.

    Then the number of sentences with each status, the sources and the warnings.
    """
    texts = marked(revision.original, revision.edits, revision.report.sentences)
    return render("views/notebook.html", revision=revision, marked=texts, **_HELPERS)
