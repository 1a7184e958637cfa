"""`rarr label`: writes a page on which people rate, and merges what they exported into labels."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.cli import options
from rarr.cli.streams import warn, write
from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import counted

if TYPE_CHECKING:
    from rarr.evals.rating.merging import MergedRatings


def label(
    files: options.RatedFiles, out: options.Rated, merge: options.Merge = False, as_json: options.Json = False
) -> int:
    """Let people rate texts on a page, and merge their ratings.

    The page needs no server and no network. It asks whether each text can be understood, whether the
    evidence supports it, and whether a revision keeps the intent. DATA has an item a line: "claim" (or
    "text") and "evidence" (a text, or a list of texts or of objects with "text", "title", "url"), or
    "original" and "revised", or all of them; optionally "id" and "question". Each rater downloads a file.
    --merge measures how far the raters agree, and writes a row for each item with the "label" of the
    majority and the "votes", for rarr verify. A label that only one rater gave is marked as such.

    \b
    Examples:
      rarr label data.jsonl -o page.html
      rarr label --merge ratings-Ada.json ratings-Ben.json -o labels.jsonl
    """
    _require_writable(out, files)
    if merge:
        return _merge(files, out, as_json=as_json)
    if len(files) > 1:
        raise InputError("a page has the rows of one DATA: to merge what raters exported, add --merge")
    if as_json:
        raise InputError("--json shows the agreement of raters: add --merge, or leave it out")
    from rarr.evals.rating.item_reading import digest_of, read_items
    from rarr.views.html.label import label_page

    items = read_items(files[0])
    _write(out, [label_page(items).encode()])
    write(f"{out}: {counted(len(items), 'item')} to rate, data {digest_of(items)[:8]}\n")
    return 0


def _merge(files: list[Path], out: Path, *, as_json: bool) -> int:
    from rarr.evals.rating.exported_ratings import read_exports
    from rarr.evals.rating.merging import labelled_rows, merged
    from rarr.views.terminal.evaluation_tables import agreement_table
    from rarr.views.terminal.revision import as_json as json_of

    exports = read_exports(files)
    ratings = merged(exports)
    rows = labelled_rows(exports)
    _write(out, (f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in rows))
    _warn_of_unrated(ratings)
    if alone := ratings.labels_of_one_rater:
        warn(f'{out} has {counted(alone, "label")} of one rater alone (see "label_of"): agreement needs two')
    write(json_of(ratings) if as_json else f"{agreement_table(ratings)}labels: {out}\n")
    return 0


def _warn_of_unrated(ratings: "MergedRatings") -> None:
    for rater, count in ratings.rated.items():
        if count < ratings.items:
            warn(f"{rater} rated {count} of {counted(ratings.items, 'item')}: the others have fewer votes")


def _require_writable(out: Path, files: list[Path]) -> None:
    if not out.parent.is_dir():
        raise InputError(f"the folder {out.parent} of {out} does not exist: make it, or name another with -o")
    if out.is_dir():
        raise InputError(f"{out} is a folder: name a file with -o")
    if any(file.exists() and out.exists() and file.samefile(out) for file in files):
        raise InputError(f"-o {out} would replace a file that is read: name another file")


def _write(out: Path, lines: Iterable[bytes]) -> None:
    from rarr.tools.storage.files import write_lines

    try:
        write_lines(out, lines)
    except OSError as error:
        raise InputError(f"{out} cannot be written ({error.strerror}): name another file with -o") from None
