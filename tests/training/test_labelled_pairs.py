"""Labelled pairs: read line by line, split by evidence, and refused where they are too few."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import InputError
from rarr.training.labelled_pairs import halves, read_pairs


def row(number: int, supported: bool, **more: Any) -> dict[str, Any]:
    claim = f"Mill {number} {'burned' if supported else 'never burned'}."
    return {"claim": claim, "evidence": f"Mill {number} burned.", "supported": supported, **more}


def rows(count: int) -> list[dict[str, Any]]:
    return [row(number, supported) for number in range(count) for supported in (True, False)]


def written(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_pairs_that_ship_are_balanced_in_both_halves() -> None:
    split = halves(read_pairs(None))
    counts = {name: [Counter(pair.label for pair in half) for half in parts] for name, parts in split.items()}
    assert counts == {
        "intent": [{True: 12, False: 12}] * 2,
        "support": [{True: 40, False: 40}] * 2,
    }


def test_a_wrong_claim_that_ships_differs_from_the_right_one_beside_it() -> None:
    by_evidence: dict[str, list[str]] = {}
    for pair in read_pairs(None):
        by_evidence.setdefault(pair.group, []).append(pair.variables.get("revision", pair.variables["text"]))
    assert all(len(texts) == len(set(texts)) == 2 for texts in by_evidence.values())


def test_both_pairs_of_an_evidence_come_into_one_half(tmp_path: Path) -> None:
    [parts] = halves(read_pairs(written(tmp_path, rows(20)))).values()
    assert [len(half) for half in parts] == [20, 20]
    assert {pair.group for pair in parts.fit}.isdisjoint(pair.group for pair in parts.measure)


def test_the_order_of_the_lines_does_not_change_the_halves(tmp_path: Path) -> None:
    forward = halves(read_pairs(written(tmp_path, rows(20))))["support"]
    backward = halves(read_pairs(written(tmp_path, rows(20)[::-1])))["support"]
    assert {pair.group for pair in forward.measure} == {pair.group for pair in backward.measure}


def test_a_named_half_wins(tmp_path: Path) -> None:
    lines = [row(n, label, half="fit" if n < 10 else "measure") for n in range(20) for label in (True, False)]
    parts = halves(read_pairs(written(tmp_path, lines)))["support"]
    assert {pair.group for pair in parts.fit} == {f"Mill {number} burned." for number in range(10)}


def test_too_few_pairs_are_one_line_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"too few pairs about support \(19 true, 19 false\).* at least 40"):
        halves(read_pairs(written(tmp_path, rows(19))))


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        '{"claim": "A."}',
        '{"claim": "A.", "evidence": "A.", "supported": "yes"}',
        '{"claim": "A.", "evidence": "A.", "supported": true, "half": "third"}',
        '{"text": "A.", "revision": "A."}',
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row(1, True)) + "\n\n" + line)
    with pytest.raises(InputError, match=r'line 3 of .* is no labelled pair \(.+\): give {"claim"') as raised:
        read_pairs(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is empty"), (b"\xff", "not UTF-8"), (None, "No such file")]
)
def test_a_file_without_pairs_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "pairs.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_pairs(path)
