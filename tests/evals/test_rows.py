"""Tests which lines of data are valid rows, and the errors of other lines."""

import gzip
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from evals.doubles import write_rows
from rarr.errors import InputError
from rarr.evals import rows
from rarr.evals.rows import ClaimRow, EvalRow, RowEvidence


def read_rows(path: Path) -> list[EvalRow]:
    return rows.read_rows(path, EvalRow, '{"text": "..."}')


def test_row_has_the_fields_of_its_line(tmp_path: Path) -> None:
    evidence = [{"text": "E.", "title": "T", "url": "https://x.example", "score": 3}, {"text": "F."}]
    first = {"id": 7, "text": "One.", "context": "C?", "evidence": evidence, "revised": "Two.", "more": [1]}
    second = {"original": "One.", "question": "Q?", "evidence": None, "revised": None, "id": None}
    first_row, second_row = read_rows(write_rows(tmp_path / "d.jsonl", first, second))
    assert (first_row.id, first_row.context, first_row.revised) == ("7", "C?", "Two.")
    with_address = RowEvidence(text="E.", title="T", source="https://x.example")
    assert first_row.evidence == (with_address, RowEvidence(text="F."))
    assert (second_row.id, second_row.text, second_row.context) == ("2", "One.", "Q?")
    assert (second_row.evidence, second_row.revised) == (None, None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "One."', "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("[1]", "it is no JSON object in UTF-8: give lines such as"),
        ('{"text": null}', 'its "text" is wrong (it is missing: give it)'),
        ('{"text": "One.", "evidence": 5}', 'its "evidence" is wrong (give a list)'),
        ('{"text": " \\n"}', 'its "text" is wrong (it is empty)'),
        ('{"text": "One.", "id": "good"}', "an earlier line has the same id 'good'"),
        ('{"text": "One.", "id": true}', 'its "id" is wrong'),
        ('{"text": "One.", "evidence": [{"text": "E."}, {"title": "T"}]}', 'its "evidence.1.text" is wrong'),
        ('{"text": "One.", "evidence": [{"text": "E.", "published_at": "foo"}]}', "give a date such as"),
        ('{"claim": "A.", "evidence": "E.", "label": "true"}', 'its "label" is wrong'),
        ('{"claim": "A.", "evidence": "E.", "label": "attributable", "supported": false}', "contradicts its"),
        ('{"claim": "A.", "evidence": ["E.", ""]}', 'its "evidence.1.text" is wrong (it is empty)'),
    ],
)
def test_first_wrong_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    good = {"id": "good", "text": "One.", "claim": "A.", "evidence": []}
    path = write_rows(tmp_path / "d.jsonl", good, line, "nope")
    with pytest.raises(InputError) as wrong:
        rows.read_rows(path, ClaimRow if "claim" in line else EvalRow)
    assert "d.jsonl, line 2: " in str(wrong.value)
    assert reason in str(wrong.value)


def test_byte_order_mark_blank_lines_line_ends_and_packing_do_not_matter(tmp_path: Path) -> None:
    plain = tmp_path / "d.jsonl"
    lines = ['\ufeff{"text": "One.\u2028Still."}', "", " ", '{"text": "Two."}']
    plain.write_text("\r\n".join(lines), encoding="utf-8", newline="")
    found = read_rows(plain)
    assert [(row.id, row.text) for row in found] == [("1", "One.\u2028Still."), ("4", "Two.")]
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    assert read_rows(tmp_path / "d.jsonl.gz") == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"\n \r\n", mtime=0), "has no row: give lines such as"),
        (None, "cannot be read"),
        (b"no gzip", "cannot be read"),
        (gzip.compress(b'{"text": "One."}', mtime=0)[:-12], "cannot be read"),
    ],
)
def test_file_without_a_row_is_an_error(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "d.jsonl.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_rows(path)


KEYS = st.sampled_from(["id", "text", "context", "evidence", "revised", "url"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=8)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.dictionaries(KEYS, JSON))
def test_any_line_is_a_row_or_wrong_input(line: dict[str, object]) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(InputError):
        assert read_rows(write_rows(Path(folder) / "d.jsonl", json.dumps(line)))[0].text.strip()


def test_label_decides_whether_a_claim_is_supported(tmp_path: Path) -> None:
    labels: list[Any] = [{"label": "Attributable"}, {"label": "contradictory"}, {}, {"supported": True}]
    claims = ({"claim": "A.", "evidence": "E."} | label for label in labels)
    read = rows.read_rows(write_rows(tmp_path / "c.jsonl", *claims), ClaimRow)
    judged = [("attributable", True), ("contradictory", False), (None, None), (None, True)]
    assert [(row.label, row.supported) for row in read] == judged
