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
from rarr.evals.rows import ClaimRow, Data, EvalRow, RowEvidence


def read_rows(path: Path) -> Data[EvalRow]:
    return rows.read_rows(path, EvalRow, '{"text": "..."}')


def reasons(path: Path) -> dict[int, str]:
    return {failure.line: failure.reason for failure in read_rows(path).unreadable}


def test_row_has_the_fields_of_its_line(tmp_path: Path) -> None:
    evidence = [{"text": "E.", "title": "T", "url": "https://x.example", "score": 3}, {"text": "F."}]
    first = {"id": 7, "text": "One.", "context": "C?", "evidence": evidence, "revised": "Two.", "more": [1]}
    second = {"text": "One.", "evidence": None, "revised": None, "id": None}
    first_row, second_row = read_rows(write_rows(tmp_path / "d.jsonl", first, second)).rows
    assert (first_row.id, first_row.context, first_row.revised) == ("7", "C?", "Two.")
    assert first_row.evidence == (
        RowEvidence(text="E.", title="T", source="https://x.example"),
        RowEvidence(text="F."),
    )
    assert (second_row.id, second_row.evidence, second_row.revised) == ("2", None, None)


def dated(published_at: object) -> str:
    """A row whose evidence was published then."""
    return json.dumps({"text": "One.", "evidence": [{"text": "E.", "published_at": published_at}]})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nope", "it is not JSON (Expecting value, at character 1)"),
        ('{"text": "One."', "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[1]", "it is JSON, but not an object in braces"),
        ("{}", 'it has no "text"'),
        ('{"text": null}', 'it has no "text"'),
        ('{"text": 1}', 'its "text" is wrong (Input should be a valid string)'),
        ('{"text": " \\n"}', 'its "text" is wrong (it is empty)'),
        ('{"text": "One.", "id": "good"}', "its id 'good' is that of an earlier line"),
        ('{"text": "One.", "id": true}', 'its "id" is wrong'),
        ('{"text": "One.", "context": ["C?"]}', 'its "context" is wrong'),
        ('{"text": "One.", "revised": ""}', 'its "revised" is wrong (it is empty)'),
        ('{"text": "One.", "evidence": "E."}', 'its "evidence" is wrong'),
        ('{"text": "One.", "evidence": [{"text": "E."}, {"title": "T"}]}', 'it has no "evidence.2.text"'),
        ('{"text": "One.", "evidence": [{"text": ""}]}', 'its "evidence.1.text" is wrong (it is empty)'),
        (dated("foo"), 'its "evidence.1.published_at" is wrong (give a date such as 2020-01-31)'),
        (dated(5), 'its "evidence.1.published_at" is wrong'),
    ],
)
def test_wrong_line_is_named_and_the_rest_goes_on(tmp_path: Path, line: str, reason: str) -> None:
    good = {"id": "good", "text": "One."}
    path = write_rows(tmp_path / "d.jsonl", good, line, {"text": "Two."})
    assert [row.id for row in read_rows(path).rows] == ["good", "3"]
    assert list(reasons(path)) == [2]
    assert reason in reasons(path)[2]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_mark_blank_lines_and_line_ends_do_not_matter(tmp_path: Path, end: str) -> None:
    path = tmp_path / "d.jsonl"
    lines = ['\ufeff{"text": "One.\u2028Still."}', "", " ", '{"text": "Two."}']
    path.write_text(end.join(lines), encoding="utf-8", newline="")
    assert [(row.id, row.text) for row in read_rows(path).rows] == [("1", "One.\u2028Still."), ("4", "Two.")]
    assert reasons(path) == {}


def test_packed_data_are_the_same_data(tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "d.jsonl", {"text": "One."}, "nope")
    packed = tmp_path / "d.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    assert read_rows(packed) == read_rows(plain)


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"nope\n", b'"text"\n{"text": ""}\n'])
def test_data_without_a_row_are_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "d.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=r"d.jsonl has no row \(.+\): give a line such as"):
        read_rows(tmp_path / "d.jsonl")


@pytest.mark.parametrize("content", [None, b"no gzip", gzip.compress(b'{"text": "One."}', mtime=0)[:-12]])
def test_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "d.jsonl.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
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
def test_any_line_is_a_row_or_unreadable(
    lines: list[dict[str, object]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = read_rows(write_rows(Path(folder) / "d.jsonl", {"text": "One."}, *map(json.dumps, lines)))
    assert len(data.rows) + len(data.unreadable) == len(lines) + 1
    assert len({row.id for row in data.rows}) == len(data.rows)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"evidence": "E."}, 'it has no "claim"'),
        ({"claim": " ", "evidence": "E."}, 'its "claim" is wrong (it is empty)'),
        ({"claim": "A."}, 'it has no "evidence"'),
        ({"claim": "A.", "evidence": 3}, 'its "evidence" is wrong'),
        ({"claim": "A.", "evidence": ["E.", ""]}, 'its "evidence.2.text" is wrong (it is empty)'),
        (
            {"claim": "A.", "evidence": "E.", "label": "true"},
            "its \"label\" is 'true': give attributable, extra",
        ),
        ({"claim": "A.", "evidence": "E.", "supported": "yes"}, 'its "supported" is wrong'),
        (
            {"claim": "A.", "evidence": "E.", "label": "attributable", "supported": False},
            'its "label" is \'attributable\', and its "supported" says otherwise: keep one',
        ),
    ],
)
def test_wrong_claim_is_named(line: dict[str, object], reason: str, tmp_path: Path) -> None:
    good = {"id": "good", "claim": "A.", "evidence": []}
    read = rows.read_rows(write_rows(tmp_path / "c.jsonl", good, line), ClaimRow, "a claim")
    assert [row.id for row in read.rows] == ["good"]
    assert read.unreadable[0].reason.startswith(reason)


def test_label_decides_whether_a_claim_is_supported(tmp_path: Path) -> None:
    given: list[dict[str, object]] = [
        {"label": "Attributable"},
        {"label": "contradictory"},
        {},
        {"supported": True},
    ]
    file = write_rows(tmp_path / "c.jsonl", *({"claim": "A.", "evidence": "E.", **each} for each in given))
    assert [(row.label, row.supported) for row in rows.read_rows(file, ClaimRow, "a claim").rows] == [
        ("attributable", True), ("contradictory", False), (None, None), (None, True),
    ]  # fmt: skip
