"""Reads the rows of a public data set from the folder of all data sets."""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError
from rarr.evals.rows import read_lines


class SourceRow(BaseModel):
    """Base of the rows of public data sets. Keys that no benchmark reads are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str


Source = TypeVar("Source", bound=SourceRow)


def source_rows(data: Path, name: str, kind: type[Source]) -> list[Source]:
    """Reads all rows of the file `name` of the folder `data`.

    Raises `InputError` if the file is missing, or if a line is no such row: a benchmark over a part of its
    data would be another benchmark.
    """
    path = data / name
    if not path.is_file():
        raise InputError(f"{data} has no {name}: give the folder that holds it")

    def row(value: dict[str, Any], number: int) -> Source:
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            raise WrongRowError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    rows, unreadable, _ = read_lines(path, row, "those of its publishers")
    if unreadable:
        raise InputError(f"{path}, line {unreadable[0].line}: {unreadable[0].reason}: restore the file")
    return rows
