"""What the benchmarks share, and what they count."""

from pathlib import Path

import pytest

from benchmarks import shared_data
from benchmarks.corpus import Measurement
from benchmarks.corruptions import Corruption
from benchmarks.embedded import EnglishLike, print_index
from benchmarks.examples import Replacement, changes
from benchmarks.real_text import became, print_named
from benchmarks.report import share
from rarr import Edit, Revision

SENTENCE = Corruption("date", "p1", 7, "It opened in 1937.", "It opened in 1931.", "1937", "1931")


def revised(original: str, *edits: tuple[int, str, str]) -> Revision:
    made, text = [], original
    for number, (start, old, new) in enumerate(edits):
        ids = {"id": f"e{number}", "query_id": "q", "evidence_id": "v", "reason": ""}
        made.append(Edit(start=start, end=start + len(old), old=old, new=new, state="accepted", **ids))
        text = text[:start] + new + text[start + len(old) :]
    return Revision(run_id="r", original=original, text=text, changed=text != original, edits=tuple(made))


def test_share_has_its_interval() -> None:
    assert share([True] * 9 + [False]) == "9/10 = 0.900 [0.596, 0.982]"
    assert share([]) == "0/0"


def test_data_that_is_not_there_ends_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match="BENCHMARK_DATA"):
        shared_data.rows("dev/none.jsonl")


def test_changes_have_their_places_in_the_original() -> None:
    revision = revised("a 1931 b 1931 c", (9, "1931", "37"), (2, "1931", "1937"))
    assert changes(revision) == {Replacement(5, "1", "7"), Replacement(9, "1931", "37")}


def test_insertion_and_deletion_are_changes() -> None:
    revision = revised("a cc d", (2, "cc ", ""), (0, "", "x"))
    assert changes(revision) == {Replacement(0, "", "x"), Replacement(2, "cc ", "")}


@pytest.mark.parametrize(
    ("edits", "outcome"),
    [
        ([], "left open"),
        ([(13, "1931", "1937")], "corrected exactly"),
        ([(13, "1931", "1938")], "damaged"),
    ],
)
def test_result_of_a_changed_sentence(edits: list[tuple[int, str, str]], outcome: str) -> None:
    assert became(SENTENCE, revised(SENTENCE.changed, *edits)) == outcome


def test_corrected_sentences_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    print_named([(SENTENCE, revised(SENTENCE.changed, (13, "1931", "1937")))])
    assert "- p1 at 7: 1931 → 1937 in 'It opened in 1931.'" in capsys.readouterr().out


def test_documents_are_made_of_the_words_of_the_examples() -> None:
    assert len({"the", "of", "Bridge"} & set(EnglishLike(0).words(5000))) == 3


def test_index_figures_have_median_and_spread(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [Measurement(1000, seconds, 50, 60, 4, 0.5, 1) for seconds in (1, 3, 2)]
    print_index(runs)
    assert "| 1,000 passages: build | s | 2.0 | 1.0 | 3.0 | 3 |" in capsys.readouterr().out
