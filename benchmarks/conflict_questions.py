"""Joins the questions of QED with all answers of NQ-open: rows for `rarr bench conflicts`.

    python -m benchmarks.conflict_questions -o questions.jsonl

QED (measure only: its rows stay outside of the project) has a passage and the words of the answer in it, and
NQ-open has other forms of the same answer, which become aliases.
"""

import argparse
import json
import re
from pathlib import Path

from benchmarks.shared_data import rows

NQ_OPEN, QED = "dev/conflict/nq_open_dev.jsonl", "measure_only/unlicensed/dev/retrieval/qed.jsonl"


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


def _key(question: str) -> str:
    return re.sub(r"\W+", " ", question.lower()).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True, help="the file of JSON lines to write")
    out: Path = parser.parse_args().out
    out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in joined()), encoding="utf-8")


if __name__ == "__main__":
    main()
