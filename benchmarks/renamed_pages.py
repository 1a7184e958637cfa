"""Counts the sentences that a page about another thing supports: python -m benchmarks.renamed_pages

Each text is a page of other authors behind a sentence with its title. It is revised without a model beside
the page itself (`own`), and beside the page with other names for the words of its title (`renamed`), which
rightly supports sentences about other things. Rules were written with the odd pages of 670 alone.
"""

import re
from collections import Counter

from benchmarks.harness import read_data
from rarr import Reviser, Settings

NAMES = ("Brundel", "Vastor", "Kelmit", "Orsane", "Tulvar", "Pendrik", "Halvo", "Misket")


def main() -> None:
    counts = Counter[tuple[str, str]]()
    with Reviser(Settings(trace=False)) as reviser:
        for number, row in enumerate(read_data("dev/editing/handwritten.jsonl.gz")):
            page, title, half = row["evidence"], row["title"], "odd" if number % 2 else "even"
            words = [it for it in dict.fromkeys(re.findall(r"[A-Z][^\W\d_]{2,}", title)) if it in page]
            renamed, heading = page, title
            for word, name in zip(words, NAMES, strict=False):
                renamed, heading = (re.sub(rf"\b{word}\b", name, it) for it in (renamed, heading))
            pages = {"own": (page, title), "renamed": (renamed, heading), "renamed, untitled": (renamed, "")}
            text = f"{title.partition(' (')[0]} is described here. {page}"
            for kind, (source, headed) in pages.items() if words else ():
                given = {"text": source, "title": headed}
                revision = reviser.revise(text, sources=[given], search="given")
                statuses = [sentence.status for sentence in revision.report.sentences]
                counts[half, f"{kind}: supported"] += statuses.count("supported")
                counts[half, f"{kind}: edited"] += sum(edit.accepted for edit in revision.edits)
    for (half, kind), count in sorted(counts.items()):
        print(f"{half} pages, {kind}: {count:,}")


if __name__ == "__main__":
    main()
