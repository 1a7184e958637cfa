"""Fixtures: a file of five rows, and the folder for the results."""

from pathlib import Path

import pytest

from evals.doubles import row, write_rows


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "data.jsonl", *(row(number) for number in range(5)))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
