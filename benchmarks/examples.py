"""Revises each text of examples/texts with examples/corpus: python -m benchmarks.examples [--model NAME]

Prints a row for each text: the number of planted errors, how many became exactly right, how many other words
changed, how many sentences have the expected status, and whether everything is as expected.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import EXAMPLES as FOLDER, machine, make_parser, share, table
from rarr import Reviser, Revision, Settings
from rarr.tools.text.edit_segments import segments

CORPUS = FOLDER / "corpus"


class Replacement(NamedTuple):
    """A change of a text. `old` and `new` do not begin or end with the same character."""

    start: int
    old: str
    new: str


class Example(NamedTuple):
    """A text with its expected revision and the expected statuses of sentences. None: any status is right."""

    name: str
    path: Path
    text: str
    context: str | None
    expected: str
    planted: frozenset[Replacement]
    statuses: tuple[str | None, ...]


class Outcome(NamedTuple):
    """The result for one text."""

    name: str
    planted: int  # planted errors
    corrected: int  # planted errors that became exactly right
    wrong: int  # other changes
    pinned: int  # sentences with an expected status
    right: int  # sentences that have their expected status
    exact: bool  # whether the whole text is as expected

    @property
    def ok(self) -> bool:
        return self.exact and self.right == self.pinned


def read_examples() -> list[Example]:
    files = sorted((FOLDER / "texts").glob("*.expected.json"))
    return [_read_example(file) for file in files]


def outcome(example: Example, revision: Revision) -> Outcome:
    replacements = find_replacements(revision)
    statuses = [sentence.status for sentence in revision.report.sentences]
    pinned = [(n, status) for n, status in enumerate(example.statuses) if status is not None]
    return Outcome(
        name=example.name,
        planted=len(example.planted),
        corrected=len(replacements & example.planted),
        wrong=len(replacements - example.planted),
        pinned=len(pinned),
        right=sum(statuses[n : n + 1] == [status] for n, status in pinned),
        exact=revision.text == example.expected,
    )


def find_replacements(revision: Revision) -> frozenset[Replacement]:
    """Returns the changes that a revision made, with their places in the original text."""
    replacements, at, old = [], 0, ""
    for piece in [*segments(revision.original, revision.edits), None]:
        if piece is not None and piece.kind == "deleted":
            old = piece.text
            continue
        new = piece.text if piece is not None and piece.kind == "inserted" else ""
        if old or new:
            replacements.append(_without_shared_ends(at, old, new))
        at, old = at + len(old), ""
        if piece is not None and piece.kind == "kept":
            at += len(piece.text)
    return frozenset(replacements)


def _read_example(file: Path) -> Example:
    name = file.name.removesuffix(".expected.json")
    (path,) = (path for path in file.parent.glob(f"{name}.*") if path != file)
    text = path.read_bytes().decode()
    expectation = json.loads(file.read_text(encoding="utf-8"))
    return Example(
        name=name,
        path=path,
        text=text,
        context=expectation.get("context"),
        expected=expectation["text"],
        planted=frozenset(_planted_replacements(text, expectation["text"], expectation["edits"])),
        statuses=tuple(expectation["statuses"]),
    )


def _planted_replacements(text: str, expected: str, edits: Sequence[dict[str, str]]) -> Iterator[Replacement]:
    """Yields the edits with their places in the text. Between two edits, both texts are equal."""
    at = shift = 0
    for edit in edits:
        old, new = edit["old"], edit["new"]
        at = text.find(old, at)
        # The words `old` may also occur earlier, in a place where they are right.
        while at >= 0 and expected[: at + shift + len(new)] != expected[: at + shift] + new:
            at = text.find(old, at + 1)
        if at < 0:
            raise ValueError(f"{old!r} does not become {new!r}")
        yield _without_shared_ends(at, old, new)
        at, shift = at + len(old), shift + len(new) - len(old)


def _without_shared_ends(start: int, old: str, new: str) -> Replacement:
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    while old and new and old[0] == new[0]:
        start, old, new = start + 1, old[1:], new[1:]
    return Replacement(start, old, new)


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--model", default="embedded", help="what reads, as in the settings")
    model = made.parse_args().model
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        reviser = Reviser(Settings(corpus=CORPUS, home=Path(home), model=model))
        found = [outcome(it, reviser.revise(it.text, it.context)) for it in read_examples()]
    body = [
        [row.name, str(row.planted), str(row.corrected), str(row.wrong), f"{row.right}/{row.pinned}",
         "yes" if row.ok else "NO"]
        for row in found
    ]  # fmt: skip
    print(table(("text", "planted", "corrected", "wrongly changed", "statuses right", "ok"), body))
    print(f"\ntexts that became exactly what is expected: {share([row.exact for row in found])}")
    corrected, planted, right, pinned = (
        sum(getattr(row, name) for row in found) for name in ("corrected", "planted", "right", "pinned")
    )
    print(f"planted errors corrected: {share([True] * corrected + [False] * (planted - corrected))}")
    print(f"changes that were not asked for: {sum(row.wrong for row in found)}")
    print(f"pinned statuses right: {share([True] * right + [False] * (pinned - right))}")
    print(f"{time.perf_counter() - started:.1f} seconds by {model} on {machine()}")


if __name__ == "__main__":
    main()
