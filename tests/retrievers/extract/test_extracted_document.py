from datetime import UTC, datetime, timedelta, timezone

import pytest

from rarr.retrievers.extract.extracted_document import parse_time


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020-03-04", datetime(2020, 3, 4, tzinfo=UTC)),
        ("2020-03-04T05:06:07Z", datetime(2020, 3, 4, 5, 6, 7, tzinfo=UTC)),
        (" 2020-03-04T05:06+02:00 ", datetime(2020, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=2)))),
        ("last week", None),
        ("", None),
        (1583280000, None),
        (None, None),
    ],
)
def test_moment_reads_iso_8601_and_nothing_else(value: object, expected: datetime | None) -> None:
    assert parse_time(value) == expected
