"""What was measured is kept, and is not measured again."""

from pathlib import Path

from recipes.measures.kept import Kept, fingerprint


def test_results_outlive_the_process(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "m.jsonl"
    Kept(file).add(("rules", "a/1"), [1, None])
    kept = Kept(file)
    assert ("rules", "a/1") in kept
    assert kept["rules", "a/1"] == [1, None]


def test_truncated_line_is_dropped_and_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    Kept(file).add(("a",), 1)
    file.write_text(file.read_text() + '{"key": ["b"], "val')
    kept = Kept(file)
    assert ("b",) not in kept
    kept.add(("b",), 2)
    assert Kept(file).of([("a",), ("b",)]) == [1, 2]


def test_incomplete_results_read_as_none(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "m.jsonl")
    kept.add(("a",), None)
    assert (kept.of([("a",)]), kept.of([("a",), ("b",)])) == ([None], None)


def test_fingerprint_follows_every_file_but_bytecode(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"1")
    first = fingerprint(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"2")
    assert fingerprint(tmp_path) == first
    (tmp_path / "weights").write_bytes(b"2")
    assert fingerprint(tmp_path) != first
