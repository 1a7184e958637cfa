"""A data folder with a few made-up rows in the form of the public data sets."""

import json
from pathlib import Path
from typing import Any

from rarr.evals.benchmarks import attrscore, expertqa, factscore

BUILDERS = ("Ida Lunde", "Ole Brandt", "Kari Moen", "Nils Fossum", "Anna Dahl", "Per Vik")
PLACES = ("Aarle", "Norvik", "Tolk", "Vinter", "Merrow", "Halden")


def passage(number: int) -> dict[str, Any]:
    title = f"{PLACES[number]} Mill"
    text = f"{title} is a mill in the north. It was built by {BUILDERS[number]} in {1901 + number}."
    return {"n": 1, "title": title, "text": text, "short_answer": BUILDERS[number]}


def question(number: int) -> dict[str, Any]:
    asked = f"Who built {PLACES[number]} Mill?"
    return {"id": f"q{number}", "question": asked, "summary_with_quotes": "", "passages": [passage(number)]}


def expert_claim(
    number: int, text: str, evidence: list[str], support: str, worthy: str = "Yes", system: str = "rr"
) -> dict[str, Any]:
    return {
        "id": f"e/{number // 2}/{system}/{number}",
        "claim": text,
        "evidence": [{"text": piece, "url": "https://example.org"} for piece in evidence],
        "meta": {"system": system, "field": "Law", "support": support, "worthiness": worthy},
    }


DAM = "Hoover Dam is 221 metres high and 379 metres long."
CLAIMS = [
    expert_claim(0, "Hoover Dam is 221 metres high.", [DAM], "Complete"),
    expert_claim(1, "Hoover Dam is 212 metres high.", ["It is in Nevada.", DAM], "Incomplete"),
    expert_claim(2, "Hoover Dam is 379 metres long.", [DAM], "Complete", system="post_hoc"),
    expert_claim(3, "Hoover Dam is 379 metres long.", [DAM], "Partial", "No", system="post_hoc"),
]


def stance(claim: str, number: str, evidence: str, raw: str, factual: bool | str) -> dict[str, Any]:
    return {
        "id": f"f/{number}",
        "claim": claim,
        "evidence": [{"text": evidence}],
        "label_raw": raw,
        "meta": {"claim_factual": factual},
    }


BOTH = "Hoover Dam was 221 metres high and was 900 metres long."
STANCES = [
    stance("Hoover Dam is 221 metres high.", "1/s1/0/0", DAM, "completely-support", True),
    stance("Hoover Dam is 221 metres high.", "1/s1/0/1", "It is in Nevada.", "irrelevant", True),
    stance("Hoover Dam is 400 metres high.", "1/s1/1/0", DAM, "refute", False),
    stance(BOTH, "2/s1/0/0", DAM, "partially-support", "unknown"),
]


def data_folder(folder: Path) -> Path:
    """Writes the files of all benchmarks."""
    corpus = [{"id": f"c{n}", **{key: passage(n)[key] for key in ("title", "text")}} for n in range(6)]
    write(folder / attrscore.QUESTIONS, [question(n) for n in range(4)])
    write(folder / attrscore.CORPUS, corpus)
    write(folder / expertqa.CLAIMS, CLAIMS)
    write(folder / factscore.STANCES, STANCES)
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
