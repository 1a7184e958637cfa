"""The tables of `docs/measured/encoder.md`, each between two marks; people write the text around them."""

import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "encoder.md"


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with each table in its place. Raises `ValueError` for a table without a place."""
    for name, content in tables.items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"the page has no place for {name}: write {begin} and {end} into it, once")
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n\n{content}\n\n{end}{after}"
    return page


def places(page: str) -> list[str]:
    """The names of the tables that the page has a place for."""
    return re.findall(r"<!-- begin: (\S+) -->", page)
