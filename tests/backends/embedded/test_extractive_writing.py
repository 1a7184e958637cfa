"""Which sentences an article without a language model quotes, and under which heading."""

import pytest
from makers import evidence

from rarr.backends.embedded.extractive_writing import ExtractiveWriter, quoted_article
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.records.citations import PlannedSection

TOPIC = "Orrel Viaduct"
PAGE = """# Orrel Viaduct

The Orrel Viaduct is a railway bridge in Wessland.

## Construction

The Orrel Viaduct was designed by Tomas Brandl in 1908. It was completed in 1912.

## Closure

Trains stopped crossing the Orrel Viaduct in 1987."""


MENUS = (
    "Home News Sport Weather Orrel Viaduct Shop Video Login. Orrel Viaduct, 1912!"
    " the Orrel Viaduct was opened by a king in 1912. The Orrel Viaduct was opened in 1912 [3]."
    " The Orrel Viaduct has 24 arches that are made of brick."
    " Walkers say that the Orrel Viaduct was closed."
)
GERMAN = "Der Orrel Viaduct ist eine Brücke in Wessland und wurde im Jahr 1912 gebaut."


def page(text: str) -> Evidence:
    return evidence(text, id="q1.1", source="1.md").model_copy(update={"title": TOPIC})


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (PAGE, {
            "Overview": "The Orrel Viaduct is a railway bridge in Wessland. [1]",
            "Construction": "The Orrel Viaduct was designed by Tomas Brandl in 1908. [1]",
            "Closure": "Trains stopped crossing the Orrel Viaduct in 1987. [1]",
        }),
        (MENUS, {"Arches": "The Orrel Viaduct has 24 arches that are made of brick. [1]"}),
        (GERMAN, {"Overview": f"{GERMAN} [1]"}),
    ],
)  # fmt: skip
async def test_whole_sentences_that_stand_alone_stand_under_the_heading_of_their_source(
    text: str, sections: dict[str, str]
) -> None:
    planned = [PlannedSection(id=f"s{n}", heading=it, query_id="q1") for n, it in enumerate(sections)]
    sources = [SectionSource(section, (page(text),)) for section in planned]
    written = [await ExtractiveWriter().section(TOPIC, sources, n) for n in range(len(sources))]
    assert written == list(sections.values())


async def test_plan_has_headings_with_a_sentence_which_is_quoted_once_and_no_list() -> None:
    references = "## References\n\nThe Orrel Viaduct has references to 24 arches of brick."
    legends = "## Legends\n\nIt is said that a ghost walks there."
    chunks = [page(f"## Overview\n\n{PAGE}\n\n{references}\n\n{legends}")]
    assert await ExtractiveWriter().outline(TOPIC, chunks) == ["Overview", "Construction", "Closure"]
    other = page("The Orrel Viaduct was haunted.").model_copy(update={"title": "Ghosts", "source": "2"})
    written = " ".join(text for _, text in quoted_article(TOPIC, [*chunks, other], 9))
    assert "haunted" not in written
    assert written.count("is a railway bridge in Wessland") == 1
