"""Which sentences an article without a language model quotes, and under which heading."""

from makers import evidence

from rarr.backends.embedded.extractive_writing import ExtractiveWriter, quoted_article, quoted_section
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.records.articles import PlannedSection

TOPIC = "Orrel Viaduct"
PAGE = """# Orrel Viaduct

The Orrel Viaduct is a railway bridge in Wessland.

## Construction

The Orrel Viaduct was designed by Tomas Brandl in 1908. It was completed in 1912.

## Closure

Trains stopped crossing the Orrel Viaduct in 1987."""


def page(text: str = PAGE, number: int = 1, title: str = TOPIC) -> Evidence:
    return evidence(text, id=f"q1.{number}", source=f"{number}.md").model_copy(update={"title": title})


def sources(*headings: str, chunks: tuple[Evidence, ...] = ()) -> list[SectionSource]:
    return [
        SectionSource(PlannedSection(id=f"s{n}", heading=heading, query_id="q1"), chunks or (page(),))
        for n, heading in enumerate(headings)
    ]


def test_article_without_a_plan_quotes_a_sentence_once_and_no_list() -> None:
    references = "## References\n\nThe Orrel Viaduct has references to 24 arches of brick."
    written = quoted_article(TOPIC, [page(f"## Overview\n\n{PAGE}\n\n{references}")], 9)
    assert [heading for heading, _ in written] == ["Overview", "Construction", "Closure"]
    assert " ".join(text for _, text in written).count("is a railway bridge in Wessland") == 1


def test_sentences_that_stand_alone_stand_under_the_heading_of_their_source() -> None:
    three = sources("Overview", "Construction", "Closure")
    assert [quoted_section(TOPIC, three, n) for n in (0, 1)] == [
        "The Orrel Viaduct is a railway bridge in Wessland. [1]",
        "The Orrel Viaduct was designed by Tomas Brandl in 1908. [1]",
    ]
    assert quoted_section(TOPIC, three, 2) == "Trains stopped crossing the Orrel Viaduct in 1987. [1]"


def test_menus_fragments_and_citations_are_not_quoted() -> None:
    text = (
        "Home News Sport Weather Orrel Viaduct Shop Video Login. Orrel Viaduct, 1912!"
        " the Orrel Viaduct was opened by a king in 1912. The Orrel Viaduct was opened in 1912 [3]."
        " The Orrel Viaduct has 24 arches that are made of brick."
    )
    [section] = sources("Arches", chunks=(page(text),))
    assert (
        quoted_section(TOPIC, [section], 0) == "The Orrel Viaduct has 24 arches that are made of brick. [1]"
    )


async def test_headings_without_a_sentence_are_not_planned() -> None:
    chunk = page(f"{PAGE}\n\n## Legends\n\nIt is said that a ghost walks there.")
    assert await ExtractiveWriter().outline(TOPIC, [chunk]) == ["Overview", "Construction", "Closure"]


def test_article_in_another_language_keeps_its_sentences() -> None:
    german = "Der Orrel Viaduct ist eine Brücke in Wessland und wurde im Jahr 1912 gebaut."
    [section] = sources("Overview", chunks=(page(german),))
    assert quoted_section(TOPIC, [section], 0) == f"{german} [1]"
