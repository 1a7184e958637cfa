"""Reads and writes files of Parquet, with pyarrow: its readers and writers are those of pandas and polars."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from rarr.batches.column_types import ColumnType, typed
from rarr.errors import InputError, SetupError

ROWS = 1000
"""The rows of one group of the file, which are in memory at once."""


def require_parquet() -> None:
    """Raises `SetupError` where pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise SetupError('Parquet needs a package: pip install "rarr[parquet]"') from None


def parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of a file. Raises `InputError` for a file that is not Parquet."""
    require_parquet()
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for group in file.iter_batches(batch_size=ROWS):
                yield from group.to_pylist()
    except pyarrow.ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read ({reason}): give a file of Parquet") from None


def write_parquet(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, ColumnType], source: Path
) -> None:
    """Writes the rows to a new file, a group at a time. Columns of a Parquet `source` keep their types."""
    require_parquet()
    import pyarrow
    import pyarrow.parquet

    own = pyarrow.parquet.read_schema(source) if source.suffix.lower() == ".parquet" else pyarrow.schema([])
    schema = pyarrow.schema(
        own.field(name) if name in own.names else (name, arrow_type(kind)) for name, kind in columns.items()
    )
    new = {name: kind for name, kind in columns.items() if name not in own.names}
    left = iter(rows)
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(left, ROWS)):
            values = [{**row, **{name: typed(row.get(name), new[name]) for name in new}} for row in group]
            writer.write_table(pyarrow.Table.from_pylist(values, schema))


def arrow_type(column: ColumnType) -> Any:
    """Returns the type that Parquet has for a column."""
    import pyarrow

    if column == "strings":
        return pyarrow.list_(pyarrow.string())
    plain = {"bool": pyarrow.bool_, "int": pyarrow.int64, "float": pyarrow.float64}
    return plain.get(column, pyarrow.string)()
