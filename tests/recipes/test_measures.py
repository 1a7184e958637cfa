"""What the measures make of systems, here of fakes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from makers import passage
from numpy.typing import NDArray
from tokenizers import Tokenizer

from benchmarks import shared_data
from benchmarks.handwritten import Outcome
from rarr.backends.encoder.inputs import encoder_input
from rarr.backends.encoder.model import ClozeInput
from rarr.backends.encoder.model_files import SHIPPED, TOKENIZER
from rarr.evals.metrics import Measured
from rarr.records import Passage
from rarr.tools.text.blocks_and_sentences import Span
from recipes.measures import attribution, cloze, editing, handwritten, intervals, kept, ranking, speed
from recipes.measures.attribution import Row
from recipes.measures.context import COSINE, RULES, TRAINED, Context
from recipes.measures.editing import Edited

PASSAGE = "The bridge opened in 1937. Its chief engineer was Joseph Strauss."
ITEM: dict[str, Any] = {
    "id": "1",
    "title": "Golden Gate Bridge",
    "evidence": PASSAGE,
    "supported": "The bridge was opened in 1937.",
    "corrupted": "The bridge was opened in 1940.",
    "edits": [{"wrong": "1940", "right": "1937", "kind": "date"}],
    "extrapolatory": "The bridge was painted red.",
}


class At(NamedTuple):
    best: Span | None


class Reader:
    """Points at what it is told to, and keeps what it was asked. A vector counts a and b in a text."""

    def __init__(self, answer: str = "") -> None:
        self.answer = answer
        self.asked: list[ClozeInput] = []

    def point(self, asked: Sequence[ClozeInput]) -> list[At]:
        self.asked += asked
        start = [item.passage.find(self.answer) for item in asked]
        return [At(Span(at, at + len(self.answer)) if at >= 0 else None) for at in start]

    def relevance(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        return [float(query in text) for _, text in passages]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], np.float32)
        return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), np.float32)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with the one hand-written item."""
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path / "data")
    monkeypatch.setattr(handwritten, "FILE", "items.jsonl")
    monkeypatch.setattr(cloze, "FILE", "items.jsonl")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.jsonl").write_text(json.dumps(ITEM) + "\n")
    return tmp_path


def outcome(
    version: str, judged: str, *, changed: bool = False, right: bool = False, kind: str = "date"
) -> Outcome:
    return Outcome(version, judged, changed, right, (kind,), None)


ITEMS = [
    [
        outcome("supported", "attributable"),
        outcome("corrupted", "contradictory", changed=True, right=True),
        outcome("extrapolatory", "contradictory", changed=True),
    ],
    [
        outcome("supported", "attributable", kind="role"),
        outcome("corrupted", "contradictory", changed=True, kind="role"),
        outcome("extrapolatory", "extrapolatory", kind="role"),
    ],
]


def test_figures_of_the_handwritten_claims() -> None:
    figures = {figure.measure: figure.value.value for figure in handwritten.figures_of(RULES, ITEMS)}
    assert figures == {
        "exact corrections": 0.5,
        "exact corrections, value kinds": 1.0,
        "exact corrections, other kinds": 0.0,
        "exactly right, of the changed": pytest.approx(1 / 3),
        "over-edits": 0.25,
        "over-edits, supported": 0.0,
        "over-edits, extrapolatory": 0.5,
        "three-way accuracy": pytest.approx(5 / 6),
    }


def test_kinds_table_counts_corrections_of_wrong_versions() -> None:
    lines = handwritten.kinds(ITEMS).splitlines()
    assert lines[2].startswith("| date | 1/1 = 1.000")
    assert lines[3].startswith("| role | 0/1 = 0.000")
    assert "| 1 | 0 | 1/1" in lines[3]


def test_judgements_count_the_predicted_class_of_each_version() -> None:
    assert list(handwritten.judgements(RULES, ITEMS)) == [
        [RULES, "supported", "2", "0", "0"],
        [RULES, "corrupted", "0", "2", "0"],
        [RULES, "extrapolatory", "0", "1", "1"],
    ]


@pytest.mark.slow
def test_handwritten_items_go_through_the_reviser_once(data: Path) -> None:
    context = Context(data / "kept", Reader(), systems={RULES: {"model": "rules"}})
    first = handwritten.measure(context)
    assert handwritten.measure(context) == first
    lines = (data / "kept" / "handwritten.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == [[RULES, "1"]]
    assert {figure.system for figure in first.figures} == {RULES}


@pytest.mark.parametrize(
    ("answer", "exact"), [("1937", 1.0), ("1937.", 1.0), ("in 1937", 0.0), ("1999", 0.0)]
)
def test_cloze_reader_is_right_where_the_passage_says_it(data: Path, answer: str, exact: float) -> None:
    reader = Reader(answer)
    measured = cloze.measure(Context(data / "kept", reader))
    (asked,) = reader.asked
    assert asked.text[slice(*asked.masked.span)] == "1937"
    assert [figure.value.value for figure in measured.figures] == [exact]
    assert f"| date | {exact:.0f}/1" in measured.tables["cloze"]


def test_interrupted_cloze_run_keeps_its_results(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended(Reader):
        def point(self, asked: Sequence[ClozeInput]) -> list[At]:
            if self.asked:
                raise KeyboardInterrupt
            return super().point(asked)

    monkeypatch.setattr(kept, "BATCH", 1)
    (data / "data" / "items.jsonl").write_text("".join(json.dumps(ITEM | {"id": n}) + "\n" for n in "12"))
    with pytest.raises(KeyboardInterrupt):
        cloze.measure(Context(data / "kept", Ended("1937")))
    rest = Reader("1937")
    assert cloze.measure(Context(data / "kept", rest)).figures[0].value.value == 1.0
    assert len(rest.asked) == 1


def test_threshold_is_the_best_over_all_sets() -> None:
    sets = {
        "one": [Row(0.9, True, "a"), Row(0.3, False, "b")],
        "two": [Row(0.6, True, "a"), Row(0.5, False, "b")],
        "one class": [Row(0.1, True, "a")],
    }
    assert attribution.balanced_threshold(sets) == 0.6
    assert attribution.mean_balanced(sets, 0.6).value == 1.0
    assert attribution.mean_balanced(sets, 0.4).value == 0.75
    assert attribution.mean_auc(sets).value == 1.0


def test_unjudged_row_is_left_out_or_counts_as_not_supported() -> None:
    scored: attribution.Scored = [(0.9, True, "a"), (None, True, "b")]
    assert attribution.judged(scored) == [Row(0.9, True, "a")]
    assert attribution.judged(scored, unjudged=-1.0)[1] == Row(-1.0, True, "b")


def test_each_system_has_its_own_number_of_judged_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"id": n, "group": n, "claim": "c", "evidence": [{"text": "t"}], "supported": n in "ab"}
        for n in "abcd"
    ]
    monkeypatch.setattr(shared_data, "FOLDER", tmp_path)
    monkeypatch.setattr(attribution, "SETS", {"mills": "mills.jsonl"})
    (tmp_path / "dev/attribution").mkdir(parents=True)
    (tmp_path / "dev/attribution/mills.jsonl").write_text("\n".join(map(json.dumps, rows)))
    context = Context(tmp_path, Reader())
    for name, score in zip("abcd", (0.9, None, 0.1, None), strict=True):
        context.kept("attribution").add((TRAINED, "mills", name), 0.5)
        context.kept("attribution").add((RULES, "mills", name), score)
    table = attribution.measure(context).tables["sets"].splitlines()
    assert [table[2].split(" | ")[n] for n in (1, 4)] == ["4", "2"]
    assert "Not judged: 0 by trained, 2 by rules." in table[-1]


def test_set_without_judged_rows_enters_no_mean() -> None:
    sets = {"one": [Row(0.9, True, "a"), Row(0.1, False, "b")], "empty": []}
    assert attribution.mean_balanced(sets, 0.5).value == 1.0


def test_interval_over_groups_is_wider_than_over_rows() -> None:
    values = [1.0] * 20 + [0.0] * 20
    over_rows = intervals.over_groups(values, [str(n) for n in range(40)], intervals.mean)
    over_groups = intervals.over_groups(values, ["a"] * 20 + ["b"] * 20, intervals.mean)
    assert over_rows.value == over_groups.value == 0.5
    assert (over_groups.low, over_groups.high, over_groups.n) == (0.0, 1.0, 40)
    assert over_rows.low is not None
    assert over_rows.low > 0.2


def test_gain_is_measured_against_the_unchanged_text() -> None:
    mended = Edited("a b c d", "a b c e", "a b c e", "1")
    left = Edited("a b", "a b", "a b", "2")
    harmed = Edited("x y", "x z", "x y", "3")
    figures = {
        figure.measure: figure.value.value for figure in editing.figures_of("s", TRAINED, [mended, left])
    }
    assert figures["SARI, s"] == 1.0
    assert figures["SARI gain, s"] is not None
    assert figures["SARI gain, s"] > 0
    assert figures["untouched when right, s"] == 1.0
    (_, gain, untouched) = editing.figures_of("s", TRAINED, [harmed])
    assert gain.value.value is not None
    assert gain.value.value < 0
    assert untouched.value.value == 0.0


def test_passages_are_ranked_by_each_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = {"id": "q", "question": "aab", "gold": ["2"]}
    passages = [passage("b", "1"), passage("aab", "2")]

    async def searched(queries: Sequence[Any]) -> list[list[Passage]]:
        return [passages for _ in queries]

    monkeypatch.setattr(ranking, "questions", lambda: [query])
    monkeypatch.setattr(ranking, "searched", searched)
    measured = ranking.measure(Context(tmp_path, Reader(), cosine=Reader()))
    ranked = {figure.system: figure.value.value for figure in measured.figures}
    assert TRAINED in ranked  # by the weights that ship, which owe such words nothing
    assert [ranked[name] for name in ("BM25", RULES, COSINE, ranking.ALONE)] == [0.0, 1.0, 1.0, 1.0]


def test_pairs_are_timed_without_the_first_run() -> None:
    assert len(speed.pairs_a_second(Reader())) == speed.RUNS


def test_timed_pair_has_the_stated_number_of_tokens() -> None:
    tokens = Tokenizer.from_file(str(SHIPPED / TOKENIZER))
    assert len(encoder_input(tokens, speed.QUERY, "", speed.PASSAGE).ids) == speed.TOKENS


def test_median_is_printed_with_the_lowest_and_highest_value() -> None:
    value = speed.middle([3.0, 1.0, 2.0])
    assert value == Measured(value=2.0, low=1.0, high=3.0, n=3)
    assert speed.text_of(value) == "2 (1 to 3, 3 runs)"
