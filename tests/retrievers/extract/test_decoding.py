from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from rarr.retrievers.extract.decoding import decode
from rarr.retrievers.extract.extracted_document import UnreadableError

TEXT = "Pfirsiche wachsen überall.\r\nשלום עולם"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_its_line_ends(encoding: str) -> None:
    assert decode(TEXT.encode(encoding)) == TEXT


def test_both_byte_orders_are_read() -> None:
    assert decode(b"\xfe\xff" + TEXT.encode("utf-16-be")) == TEXT


def test_other_encodings_are_detected_from_the_bytes() -> None:
    text = "Die Pfirsiche wachsen überall in Österreich, sagt der Gärtner, und für ihn sind sie schön. " * 3
    assert decode(text.encode("cp1252")) == text


def test_a_declared_encoding_comes_before_a_guess() -> None:
    assert decode("Привет, мир".encode("windows-1251"), "windows-1251") == "Привет, мир"


def test_an_unknown_declared_encoding_does_no_harm() -> None:
    assert decode(b"caf\xe9 cr\xe8me, tr\xe8s agr\xe9able " * 5, "x-nonsense").startswith("caf")


@pytest.mark.parametrize("data", [b"\x00\x01\x02\xff", b"PK\x03\x04\x00\x00text", "ab\0c".encode("utf-16")])
def test_binary_content_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableError, match="save it as UTF-8"):
        decode(data)


@given(st.binary(max_size=60))
def test_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(UnreadableError):
        assert isinstance(decode(data), str)
