"""Pages of things of one name that answer differently are found, unless the text tells them apart."""

import pytest
from makers import evidence

from rarr.ledger.shared_names import shared_name
from rarr.records import Check, Evidence, Verdict

BAND = "Ostrel is a band. Ostrel played with Jon Tarv. It was founded in 1994."
TOWN = "Ostrel is a town. It was founded in 1850."
VAGUE: tuple[Verdict, Verdict] = ("agrees", "unknown")


def page(number: int, title: str, text: str) -> Evidence:
    return evidence(text, id=f"q1.{number}").model_copy(update={"title": title})


def titles(text: str, first: str, second: str, verdicts: tuple[Verdict, Verdict]) -> set[str]:
    """The titles that `text` may be about, of the page of a band and that of a town."""
    pages = {it.id: it for it in (page(1, first, BAND), page(2, second, TOWN))}
    checks = [
        Check(verdict=verdict, text_answer="1994", evidence_answer=said, query_id="q1", evidence_id=name)
        for name, verdict, said in zip(pages, verdicts, ("1994", "1850"), strict=True)
    ]
    found = shared_name(text, None, checks, pages)
    return set(found.titles) if found else set()


@pytest.mark.parametrize(
    ("text", "first", "second", "verdicts", "shared"),
    [
        ("Ostrel began in 1994.", "Ostrel (band)", "Ostrel (town)", VAGUE, True),
        ("Ostrel began in 1931.", "Ostrel (band)", "Ostrel (town)", ("unknown", "unknown"), True),
        ("Ostrel began in 1994.", "Ostrel (band)", "Ostrel, Ontario", VAGUE, True),
        # the page without a qualifier is the plain reading if it agrees
        ("Ostrel began in 1994.", "Ostrel (band)", "Ostrel", ("agrees", "disagrees"), True),
        ("Ostrel began in 1850.", "Ostrel (band)", "Ostrel", ("unknown", "agrees"), False),
        # the text names the kind, the qualifier or a name of one page
        ("The band Ostrel began in 1994.", "Ostrel (band)", "Ostrel (town)", VAGUE, False),
        ("Ostrel in Ontario began in 1994.", "Ostrel (band)", "Ostrel, Ontario", VAGUE, False),
        ("Ostrel and Jon Tarv began in 1994.", "Ostrel (band)", "Ostrel (town)", VAGUE, False),
        ("Ostrel began in 1994.", "Ostrel (band)", "Ostrel (town)", ("agrees", "agrees"), False),
        ("Ostrel began in 1994.", "Ostrel (band)", "Marrow Hill", VAGUE, False),
        ("Marrow began in 1994.", "Ostrel (band)", "Ostrel (town)", VAGUE, False),
    ],
)  # fmt: skip
def test_shared_name(
    text: str, first: str, second: str, verdicts: tuple[Verdict, Verdict], shared: bool
) -> None:
    assert titles(text, first, second, verdicts) == ({first, second} if shared else set())
