"""Words that are no names: they are written small in the middle of sentences.

    python -m recipes.common_words [--write]

Counts the words of the texts in `train/`. Without --write it measures on the half of the pages that it did
not count: of words that open a sentence, and of which the rest of the page shows whether they are names
there, which does the list call common? With --write it makes the list of all pages.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from zlib import crc32

from benchmarks.report import share
from benchmarks.shared_data import rows
from rarr.backends.rules.word_list_reader import FOLDER

SOURCES = ("train/text_wikichat_leads.jsonl.gz", "train/text_wikipedia_recent.jsonl.gz")
LEAST = 3
"""The fewest times that a common word is written without a capital."""
CAPITALS = 0.25
"""A common word is capitalised within a sentence at most this often, as a share of the times without."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_BEFORE = re.compile(r"(?:^|[^\w'’.-])[a-z][a-z'’-]*,? $")
_PART_OF_NAME = re.compile(r"['’-]|(?:['’]s)?\s+(?:of\s+(?:the\s+)?)?[A-Z]")
_OPENS = re.compile(r"(?:^|[.!?]\s+|\n)([A-Z][a-z]+)(?= [a-z])")


def counted(pages: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """How often each word is written without and with a capital, after a word without a capital."""
    small, capitalised = Counter[str](), Counter[str]()
    for page in pages:
        for match in _WORD.finditer(page):
            if not _BEFORE.search(page[max(0, match.start() - 30) : match.start()]):
                continue
            if _PART_OF_NAME.match(page[match.end() : match.end() + 12]):
                continue
            (small if match[0].islower() else capitalised)[match[0].lower()] += 1
    return small, capitalised


def common(small: Counter[str], capitalised: Counter[str]) -> frozenset[str]:
    """The words that are seldom names."""
    return frozenset(
        word for word, times in small.items() if times >= LEAST and capitalised[word] <= CAPITALS * times
    )


def openers(page: str) -> Iterator[tuple[str, bool]]:
    """Words that open a sentence, and whether each is a name everywhere else on the page."""
    small, capitalised = counted([page])
    for match in _OPENS.finditer(page):
        word = match[1].lower()
        if bool(small[word]) != bool(capitalised[word]):
            yield word, bool(capitalised[word])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="make the list that ships, of all pages")
    options = parser.parse_args()
    pages = [row["text"] for source in SOURCES for row in rows(source) if row.get("text")]
    if options.write:
        words = sorted(common(*counted(pages)))
        (FOLDER / "common_words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        print(f"{len(words):,} words")
        return
    halves: tuple[list[str], list[str]] = ([], [])
    for page in pages:
        halves[crc32(page[:200].encode()) % 2].append(page)
    words_of_half = common(*counted(halves[0]))
    openings = [(word in words_of_half, is_name) for page in halves[1] for word, is_name in openers(page)]
    print(f"names called common: {share([called for called, is_name in openings if is_name])}")
    print(f"common words called common: {share([called for called, is_name in openings if not is_name])}")


if __name__ == "__main__":
    main()
