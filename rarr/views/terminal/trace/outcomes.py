"""What came of a call of a node: what its update has that was not there before."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rarr.records import Check, Edit, Evidence, Notice, Query, Record, Sentence
from rarr.tools.text.nouns import counted
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entries import Entry

_QUOTE = 160  # characters
_DOCUMENT = 500  # characters, at most
_DOCUMENTS = 5  # of a search, unless all is shown


class Ledger:
    """What is known so far."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._checks = 0

    def news(self, update: Mapping[str, Any], *, full: bool) -> list[Entry]:
        """What this update adds, in the order of the pipeline."""
        checks = update.get("checks") or []
        added, self._checks = checks[self._checks :], max(self._checks, len(checks))
        found = [
            *map(_query, self._new(update, "queries")),
            *_passages(update.get("passages") or {}, full=full),
            *map(_evidence, self._new(update, "evidence")),
            *(_check(one) for one in added if not one.stale),
            *map(_edit, self._new(update, "edits")),
        ]
        if report := update.get("report"):
            found += [_sentence(number, one) for number, one in enumerate(report.sentences, start=1)]
        if scores := update.get("scores"):
            found.append(_entry("scores", _scores(scores.model_dump()), scores))
        if lacking := update.get("lacking"):
            text = f"sentences that lack support still: {len(lacking)}"
            found.append(Entry("lacking", text, fields={"spans": lacking}))
        return found + [_warning(one) for one in update.get("warnings") or []]

    def _new(self, update: Mapping[str, Any], key: str) -> Iterator[Any]:
        for one in update.get(key) or []:
            name = f"{key} {one.id}"
            if name not in self._ids:
                self._ids.add(name)
                yield one


def _entry(kind: str, text: str, record: Record, *about: str, failed: bool = False) -> Entry:
    fields = record.model_dump(mode="json")
    return Entry(kind, text, frozenset(filter(None, about)), failed, fields)


def _query(one: Query) -> Entry:
    follows = f", after {one.follows}" if one.follows else ""
    return _entry("query", one_line(f"{one.id}{follows}: {one.text}"), one, one.id)


def _passages(found: Mapping[str, Sequence[Sequence[Any]]], *, full: bool) -> Iterator[Entry]:
    for query_id, documents in found.items():
        count = sum(number for *_, number in documents)
        shown = documents if full else documents[:_DOCUMENTS]
        inner = [
            Entry("document", _document(*one), fields={"source": one[0], "title": one[1], "passages": one[2]})
            for one in shown
        ]
        if left := len(documents) - len(shown):
            inner.append(Entry("detail", f"and {counted(left, 'more document')}: --full names them"))
        text = f"found {counted(count, 'passage')} in {counted(len(documents), 'document')}"
        fields = {"query_id": query_id, "count": count}
        yield Entry("passages", text, frozenset([query_id]), fields=fields, inner=tuple(inner))


def _document(source: str, title: str, count: int) -> str:
    return one_line(f"{count} of {title}, {source}" if title else f"{count} of {source}", _DOCUMENT)


def _evidence(one: Evidence) -> Entry:
    doubt = f" suspicious, not used ({one.suspicious})" if one.suspicious else ""
    text = f"{one.id} kept, relevance {one.relevance:.2f}{doubt}: “{one_line(one.text, _QUOTE)}” {one.source}"
    return _entry("evidence", one_line(text, _DOCUMENT), one, one.id)


def _check(one: Check) -> Entry:
    answers = f": text “{one.text_answer}”, evidence “{one.evidence_answer}”" * bool(
        one.text_answer or one.evidence_answer
    )
    why = f"; {one_line(one.reason, _QUOTE)}" if one.reason else ""
    return _entry("check", one_line(f"{one.evidence_id} {one.verdict}{answers}{why}"), one, one.evidence_id)


def _edit(one: Edit) -> Entry:
    change = f"“{one_line(one.old, _QUOTE)}” → “{one_line(one.new, _QUOTE)}”"
    text = f"{one.id} {change} {one.state}: {one.reason} ({one.evidence_id})"
    return _entry("edit", one_line(text), one, one.evidence_id)


def _sentence(number: int, one: Sentence) -> Entry:
    support = "" if one.support is None else f" {one.support:.2f}"
    text = f"{number}. {one.status.replace('_', ' ')}{support}: {one_line(one.text, _QUOTE)}"
    if one.status == "unconfirmed" and one.open_words:
        text += one_line(f" (not confirmed: {', '.join(one.open_words)})", _QUOTE)
    return _entry("sentence", text, one, *one.evidence_ids)


def _warning(one: Notice) -> Entry:
    return _entry("warning", one_line(f"warning: {one.message}"), one, one.query_id or "", failed=True)


def _scores(scores: Mapping[str, float | None]) -> str:
    said = (f"{name} {value:.2f}" for name, value in scores.items() if value is not None)
    return ", ".join(said).replace("_", " ") or "no scores: nothing could be judged"
