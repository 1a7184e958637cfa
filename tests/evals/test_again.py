"""What the same call does when it comes again after errors, and after a corpus has changed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from families import few

from evals.doubles import ASKED, EVIDENCE, components, lines, row, timeless, write_rows
from rarr.components import Components
from rarr.errors import InputError
from rarr.evals import evaluate
from rarr.records import Passage
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever, ScriptedQueries
from rarr.tools.storage.files import write_lines


class Dying(InMemoryRetriever):
    """Answers so many times, and then never again."""

    def __init__(self, answers: int) -> None:
        super().__init__([EVIDENCE])
        self.answers = answers

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if len(self.calls) >= self.answers:
            raise OSError("the server went away")
        return await super().retrieve(query, k)


def dying(answers: int) -> Components:
    return replace(components(), retriever=Dying(answers))


@pytest.mark.slow
def test_rows_after_the_death_of_a_server_are_errors_and_in_no_measure(data: Path, out: Path) -> None:
    write_rows(data, *(row(2 * number) for number in range(4)))
    report = evaluate(data, out, components=dying(2), jobs=1)
    assert [row.error for row in report.rows[:2]] == ["", ""]
    assert all(row.error.startswith("nothing could be checked: ") for row in report.rows[2:])
    assert "the server went away" in report.rows[2].error
    assert [list(line) for line in lines(out)] == [["id", "revision"]] * 2 + [["id", "error"]] * 2
    counted = {name: (measure.n, measure.unjudged) for name, measure in report.measures.items()}
    assert set(counted.values()) == {(2, 2)}
    assert all(report.measures[name].value == 1 for name in ("restored", "changed"))


def test_row_whose_research_failed_in_part_stays(data: Path, out: Path) -> None:
    write_rows(data, row(0), row(2))
    two = ScriptedQueries([(ASKED, "1973"), ("Where is the mill?", "")])
    report = evaluate(data, out, components=replace(dying(1), query_generator=two), jobs=1, limit=1)
    assert [row.error for row in report.rows] == [""]


@pytest.mark.slow
def test_rows_with_an_error_are_done_again(data: Path, out: Path) -> None:
    whole = evaluate(data, out.with_name("whole"), components=dying(99))
    evaluate(data, out, components=dying(1), jobs=1)
    kept = [line for line in lines(out) if "revision" in line]
    again = dying(99)
    assert timeless(evaluate(data, out, components=again, jobs=1)) == timeless(whole)
    assert (len(kept), len(again.retriever.calls)) == (3, 2)  # type: ignore[attr-defined]
    assert lines(out)[: len(kept)] == kept
    assert [line["id"] for line in lines(out)] == ["r0", "r1", "r3", "r2", "r4"]


@pytest.mark.slow
@pytest.mark.parametrize("before", few([True, False], every=2), ids=["before", "after"])
def test_stop_while_errors_are_removed_neither_loses_nor_repeats_rows(
    data: Path, out: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    def ended(path: Path, lines: Iterable[bytes]) -> None:
        if before:
            path.with_name(f"{path.name}.part").write_bytes(next(iter(lines))[:9])
        else:
            write_lines(path, lines)
        raise ZeroDivisionError

    whole = evaluate(data, out.with_name("whole"), components=dying(99))
    evaluate(data, out, components=dying(1), jobs=1)
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr("rarr.evals.run_folder.write_lines", ended)
        evaluate(data, out, components=dying(99))
    assert not (out / "report.json").exists()
    assert len(lines(out)) == (5 if before else 3)
    assert timeless(evaluate(data, out, components=dying(99))) == timeless(whole)
    assert sorted(line["id"] for line in lines(out)) == [f"r{n}" for n in range(5)]


@pytest.fixture
def notes(data: Path) -> Path:
    folder = data.parent / "notes"
    folder.mkdir()
    (folder / "mill.md").write_text(EVIDENCE)
    return folder


@pytest.mark.slow
def test_changed_corpus_of_the_settings_is_noticed(data: Path, out: Path, notes: Path) -> None:
    report = evaluate(data, out, settings=Settings(corpus=notes))
    assert evaluate(data, out, settings=Settings(corpus=notes)) == report
    (notes / "more.md").write_text("The mill closed in 1950.")
    with pytest.raises(InputError, match=r"searched .*notes before its files changed: give another folder"):
        evaluate(data, out, settings=Settings(corpus=notes))


@pytest.mark.slow
def test_changed_corpus_of_a_row_is_noticed(data: Path, out: Path, notes: Path) -> None:
    write_rows(data, row(0, corpus="notes"), row(1))
    evaluate(data, out, components=components(), limit=1)
    (notes / "mill.md").write_text(EVIDENCE + " ")
    with pytest.raises(InputError, match="before its files changed"):
        evaluate(data, out, components=components())


@pytest.mark.slow
def test_corpus_that_could_not_be_read_may_be_mended(data: Path, out: Path, notes: Path) -> None:
    (notes / "mill.md").unlink()
    write_rows(data, row(0, corpus="notes"))
    assert evaluate(data, out, components=components()).rows[0].error
    (notes / "mill.md").write_text(EVIDENCE)
    assert evaluate(data, out, components=components()).measures["restored"].value == 1
    (notes / "mill.md").write_text("Another text.")
    with pytest.raises(InputError, match="before its files changed"):
        evaluate(data, out, components=components())
