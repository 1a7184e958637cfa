"""Lines of data: what they may be, and what is said of those that are no rows."""

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from evals.doubles import write_rows
from rarr.errors import InputError
from rarr.evals import rows
from rarr.evals.rows import ClaimRow, EvalRow, RowEvidence, Unreadable


def read_rows(path: Path) -> tuple[list[EvalRow], list[Unreadable]]:
    return rows.read_rows(path, EvalRow, '{"text": "..."}')


def test_row_has_the_fields_of_its_line(tmp_path: Path) -> None:
    evidence = [{"text": "E.", "title": "T", "url": "https://x.example", "score": 3}, {"text": "F."}]
    first = {"id": 7, "text": "One.", "context": "C?", "evidence": evidence, "revised": "Two.", "more": [1]}
    second = {"text": "One.", "evidence": None, "revised": None, "id": None}
    [first_row, second_row], _ = read_rows(write_rows(tmp_path / "d.jsonl", first, second))
    assert (first_row.id, first_row.context, first_row.revised) == ("7", "C?", "Two.")
    assert first_row.evidence == (
        RowEvidence(text="E.", title="T", source="https://x.example"),
        RowEvidence(text="F."),
    )
    assert (second_row.id, second_row.evidence, second_row.revised) == ("2", None, None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "One."', "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "it is JSON, but not an object in braces"),
        ('{"text": null}', 'its "text" is wrong (Field required)'),
        ('{"text": " \\n"}', 'its "text" is wrong (it is empty)'),
        ('{"text": "One.", "id": "good"}', "its id 'good' is that of an earlier line"),
        ('{"text": "One.", "id": true}', 'its "id" is wrong'),
        ('{"text": "One.", "evidence": [{"text": "E."}, {"title": "T"}]}', 'its "evidence.1.text" is wrong'),
        ('{"text": "One.", "evidence": [{"text": "E.", "published_at": "foo"}]}', "give a date such as"),
    ],
)
def test_wrong_line_is_named_and_the_rest_goes_on(tmp_path: Path, line: str, reason: str) -> None:
    good = {"id": "good", "text": "One."}
    found, [wrong] = read_rows(write_rows(tmp_path / "d.jsonl", good, line, {"text": "Two."}))
    assert ([row.id for row in found], wrong.line) == (["good", "3"], 2)
    assert reason in wrong.reason


def test_byte_order_mark_blank_lines_line_ends_and_packing_do_not_matter(tmp_path: Path) -> None:
    plain = tmp_path / "d.jsonl"
    lines = ['\ufeff{"text": "One.\u2028Still."}', "", " ", '{"text": "Two."}']
    plain.write_text("\r\n".join(lines), encoding="utf-8", newline="")
    found, unreadable = read_rows(plain)
    assert [(row.id, row.text) for row in found] == [("1", "One.\u2028Still."), ("4", "Two.")]
    assert unreadable == []
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    assert read_rows(tmp_path / "d.jsonl.gz") == (found, [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"\n \r\n"), r"has no row \(it is empty\): give a line such as"),
        (gzip.compress(b"nope\n"), r"has no row \(line 1: .+\): give a line such as"),
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["id", "text", "context", "evidence", "revised"])


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.lists(st.dictionaries(KEYS, JSON | st.lists(st.dictionaries(st.sampled_from(["text", "url"]), JSON))))
)
def test_any_line_is_a_row_or_unreadable(lines: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_rows(Path(folder) / "d.jsonl", {"text": "One."}, *map(json.dumps, lines))
        found, unreadable = read_rows(path)
    assert len(found) + len(unreadable) == len(lines) + 1
    assert len({row.id for row in found}) == len(found)


@pytest.mark.parametrize(
    ("more", "label", "supported", "reason"),
    [
        ({"label": "Attributable"}, "attributable", True, ""),
        ({"label": "contradictory"}, "contradictory", False, ""),
        ({}, None, None, ""),
        ({"supported": True}, None, True, ""),
        ({"label": "true"}, None, None, 'its "label" is wrong'),
        ({"label": "attributable", "supported": False}, None, None, "says otherwise: keep one"),
        ({"evidence": ["E.", ""]}, None, None, 'its "evidence.1.text" is wrong (it is empty)'),
    ],
)
def test_label_decides_whether_a_claim_is_supported(
    tmp_path: Path, more: dict[str, object], label: str | None, supported: bool | None, reason: str
) -> None:
    good = {"id": "good", "claim": "A.", "evidence": []}
    path = write_rows(tmp_path / "c.jsonl", good, {"claim": "A.", "evidence": "E.", **more})
    found, unreadable = rows.read_rows(path, ClaimRow, "a claim")
    if reason:
        assert reason in unreadable[0].reason
    else:
        assert (found[1].label, found[1].supported) == (label, supported)
