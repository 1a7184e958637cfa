"""Makes questions with passages for `rarr bench conflicts`.

    python -m benchmarks.conflict_questions -o questions.jsonl
    python -m benchmarks.conflict_questions --shared-names -o examples/shared_names/questions.jsonl

The first joins the questions of QED with all answers of NQ-open: QED (measure only: its rows stay outside of
the project) has a passage and the words of the answer in it, and NQ-open has other forms of the same answer,
which become aliases. The second asks about the invented things of `examples/shared_names/tuned.jsonl`.
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.shared_data import rows
from rarr.evals.namesakes.corpus_documents import corpus_documents
from rarr.evals.namesakes.records import read_entities
from rarr.evals.namesakes.set_generation import name_sets

NQ_OPEN, QED = "dev/conflict/nq_open_dev.jsonl", "measure_only/unlicensed/dev/retrieval/qed.jsonl"
SHARED_NAMES = Path(__file__).resolve().parent.parent / "examples" / "shared_names"
_MEGABYTES = 1  # the most that a file of pages has


def joined() -> list[dict[str, object]]:
    """The rows of QED, with the answers of NQ-open to the same question after those of the passage."""
    others = {_key(row["question"]): row["answers"] for row in rows(NQ_OPEN)}
    return [
        {
            "id": row["id"],
            "question": row["question"],
            "answers": [*(each["text"] for each in row["answers"]), *others.get(_key(row["question"]), ())],
            "passage": row["passage"],
            "title": row["title"],
        }
        for row in rows(QED)
    ]


def of_shared_names() -> Iterator[dict[str, object]]:
    """The questions that one thing of a shared name answers, each with the page of this thing."""
    pages = {page.name: page for page in corpus_documents(SHARED_NAMES / "pages.jsonl", _MEGABYTES)}
    texts = {name: page.text for name, page in pages.items()}
    for each in name_sets(read_entities(SHARED_NAMES / "tuned.jsonl"), texts, tasks=["qa"]):
        for query in each.queries:
            page = pages[query.gold[0]]
            yield {
                "id": query.id,
                "question": query.text_with_kind or query.text,
                "answers": [*query.answers],
                "passage": page.text,
                "title": page.title,
            }


def _key(question: str) -> str:
    return re.sub(r"\W+", " ", question.lower()).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True, help="the file of JSON lines to write")
    parser.add_argument("--shared-names", action="store_true", help="ask about the things that ship")
    chosen = parser.parse_args()
    made = of_shared_names() if chosen.shared_names else joined()
    lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in made)
    chosen.out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
