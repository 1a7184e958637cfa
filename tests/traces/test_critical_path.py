"""What made a run as long as it was."""

from typing import Any

from rarr.traces.critical_path import critical_path, supersteps
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import inner_of


def span(number: int, start: float, seconds: float | None, **fields: Any) -> StoredSpan:
    known = {"parent": 0, "kind": "node", "name": "edit", "about": "", "error": ""} | fields
    return StoredSpan(number=number, started=100.0 + start, seconds=seconds, **known)


def path(*spans: StoredSpan) -> list[int]:
    return [span.number for span in critical_path(inner_of(spans))]


def ask(number: int, parent: int, start: float, seconds: float | None, **fields: Any) -> StoredSpan:
    return span(number, start, seconds, parent=parent, **({"kind": "ask"} | fields))


def test_critical_path_follows_the_branch_that_ended_last() -> None:
    branches = [span(2, 1.0, 3.0, name="retrieve"), span(3, 1.1, 2.0, name="retrieve")]
    assert path(span(1, 0, 1.0), *branches, span(4, 4.0, 1.0, name="rerank")) == [1, 2, 4]


def test_repeated_node_is_a_separate_superstep() -> None:
    calls = [span(1, 0, 1, name="a"), span(2, 1, 1, name="b"), span(3, 2, 1, name="a")]
    assert [[span.number for span in step] for step in supersteps(calls)] == [[1], [2], [3]]
    assert path(*calls) == [1, 2, 3]


def test_critical_path_follows_the_question_that_ended_last() -> None:
    assert path(span(1, 0, 5), ask(2, 1, 0, 1), ask(3, 1, 0, 4), ask(4, 1, 0.5, 3)) == [1, 3]


def test_critical_path_includes_the_question_that_another_waited_for() -> None:
    assert path(span(1, 0, 5), ask(2, 1, 0, 2), ask(3, 1, 0, 1), ask(4, 1, 2.5, 2)) == [1, 2, 4]


def test_critical_path_lists_the_attempts_after_their_question() -> None:
    attempts = [ask(3, 2, 0, 1, kind="request", error="late"), ask(4, 2, 2, 2, kind="request")]
    assert path(span(1, 0, 5), ask(2, 1, 0, 4), *attempts) == [1, 2, 3, 4]


def test_unfinished_span_counts_as_the_longest() -> None:
    assert path(span(1, 0, None), ask(2, 1, 0, 9), ask(3, 1, 2, None), ask(4, 1, 1, None)) == [1, 4]


def test_a_run_without_spans_has_no_path() -> None:
    assert path() == []


def test_critical_path_visits_a_span_of_no_duration_once() -> None:
    assert path(span(1, 0, 5), ask(2, 1, 1, 0.0), ask(3, 1, 1, 0.0), ask(4, 1, 1, 2)) == [1, 3, 2, 4]


def test_failure_spans_do_not_split_supersteps() -> None:
    calls = [span(1, 0, 1), span(2, 0.1, 0, kind="failure"), span(3, 0.2, 2)]
    assert [[span.number for span in step] for step in supersteps(calls)] == [[1, 3], [2]]
    assert path(*calls) == [3]
