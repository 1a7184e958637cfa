"""Of what a real model was asked, the second revision of the same texts asks no reading again."""

from pathlib import Path

import pytest

from benchmarks.saved_readings import passes


@pytest.mark.slow
def test_second_pass_asks_no_reading_again(tmp_path: Path) -> None:
    first, second = passes(tmp_path, count=4)
    assert first.readings > 0
    assert (second.readings, second.saved) == (0, first.readings + first.saved)
    assert second.texts == first.texts
