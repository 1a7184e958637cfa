"""Makes the entries for the new records in the update of a node's call."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rarr.records import Check, Edit, Evidence, Notice, Query, Record, Sentence
from rarr.records.answers import AnswerSource, StatementDraft
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entry_tree import Entry

_QUOTE = 160  # characters
_DOCUMENT = 500  # characters, at most
_DOCUMENTS = 5  # documents of a search that are shown, unless all are shown


class NewRecords:
    """Makes the entries of the trace's tree for a node's update: of records that no earlier update had.

    An update repeats all records of the earlier updates.
    """

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._checks = 0

    def news(self, update: Mapping[str, Any], *, full: bool) -> list[Entry]:
        """Makes entries for the records of this update that no earlier update had, in pipeline order."""
        checks = update.get("checks") or []
        added, self._checks = checks[self._checks :], max(self._checks, len(checks))
        entries = [
            *map(_query, self._new(update, "queries")),
            *_passages(update.get("passages") or {}, full=full),
            *map(_triple, update.get("triples") or []),
            *map(_evidence, self._new(update, "evidence")),
            *(_check(check) for check in added if not check.stale),
            *map(_edit, self._new(update, "edits")),
            *map(_statement, update.get("statements") or []),
        ]
        if report := update.get("report"):
            entries += [
                _sentence(number, sentence) for number, sentence in enumerate(report.sentences, start=1)
            ]
        if scores := update.get("scores"):
            entries.append(_entry("scores", _scores(scores.model_dump()), scores))
        if lacking := update.get("lacking"):
            text = f"sentences that lack support still: {len(lacking)}"
            entries.append(Entry("lacking", text, fields={"spans": lacking}))
        return entries + [_warning(notice) for notice in update.get("warnings") or []]

    def _new(self, update: Mapping[str, Any], key: str) -> Iterator[Any]:
        for record in update.get(key) or []:
            name = f"{key} {record.id}"
            if name not in self._ids:
                self._ids.add(name)
                yield record


def _entry(kind: str, text: str, record: Record, *about: str, failed: bool = False) -> Entry:
    fields = record.model_dump(mode="json")
    return Entry(kind, text, frozenset(filter(None, about)), failed, fields)


def _query(query: Query) -> Entry:
    return _entry("query", one_line(f"{query.id}: {query.text}"), query, query.id)


def _passages(documents_by_query: Mapping[str, Sequence[Sequence[Any]]], *, full: bool) -> Iterator[Entry]:
    for query_id, documents in documents_by_query.items():
        count = sum(number for *_, number in documents)
        shown = documents if full else documents[:_DOCUMENTS]
        inner = [
            Entry(
                "document",
                _document(*document),
                fields={"source": document[0], "title": document[1], "passages": document[2]},
            )
            for document in shown
        ]
        if left := len(documents) - len(shown):
            inner.append(Entry("detail", f"and {counted(left, 'more document')}: --full names them"))
        text = f"found {counted(count, 'passage')} in {counted(len(documents), 'document')}"
        fields = {"query_id": query_id, "count": count}
        yield Entry("passages", text, frozenset([query_id]), fields=fields, inner=tuple(inner))


def _document(source: str, title: str, count: int) -> str:
    return one_line(f"{count} of {title}, {source}" if title else f"{count} of {source}", _DOCUMENT)


def _evidence(evidence: Evidence) -> Entry:
    doubt = f" suspicious, not used ({evidence.suspicious})" if evidence.suspicious else ""
    quote = f"“{one_line(evidence.text, _QUOTE)}” {evidence.source}"
    text = f"{evidence.id} kept, relevance {evidence.relevance:.2f}{doubt}: {quote}"
    return _entry("evidence", one_line(text, _DOCUMENT), evidence, evidence.id)


def _triple(source: AnswerSource) -> Entry:
    return _entry("triple", one_line(f"[{source.number}] {source.passage.text}", _QUOTE), source)


def _statement(draft: StatementDraft) -> Entry:
    cited = "".join(f"[{number}]" for number in draft.citations)
    refused = f" (refused: {'; '.join(draft.refused)})" if draft.refused else ""
    text = f"{draft.status.replace('_', ' ')}: {one_line(draft.text, _QUOTE)} {cited}{refused}"
    return _entry("statement", one_line(text, _DOCUMENT), draft)


def _check(check: Check) -> Entry:
    answers = f": text “{check.text_answer}”, evidence “{check.evidence_answer}”" * bool(
        check.text_answer or check.evidence_answer
    )
    why = f"; {one_line(check.reason, _QUOTE)}" if check.reason else ""
    return _entry(
        "check", one_line(f"{check.evidence_id} {check.verdict}{answers}{why}"), check, check.evidence_id
    )


def _edit(edit: Edit) -> Entry:
    change = f"“{one_line(edit.old, _QUOTE)}” → “{one_line(edit.new, _QUOTE)}”"
    text = f"{edit.id} {change} {edit.state}: {edit.reason} ({edit.evidence_id})"
    return _entry("edit", one_line(text), edit, edit.evidence_id)


def _sentence(number: int, sentence: Sentence) -> Entry:
    support = "" if sentence.support is None else f" {sentence.support:.2f}"
    text = f"{number}. {sentence.status.replace('_', ' ')}{support}: {one_line(sentence.text, _QUOTE)}"
    if sentence.status == "unconfirmed" and sentence.open_words:
        text += one_line(f" (not confirmed: {', '.join(sentence.open_words)})", _QUOTE)
    return _entry("sentence", text, sentence, *sentence.evidence_ids)


def _warning(notice: Notice) -> Entry:
    return _entry(
        "warning", one_line(f"warning: {notice.message}"), notice, notice.query_id or "", failed=True
    )


def _scores(scores: Mapping[str, float | None]) -> str:
    named = (f"{name} {value:.2f}" for name, value in scores.items() if value is not None)
    return ", ".join(named).replace("_", " ") or "no scores: nothing could be judged"
