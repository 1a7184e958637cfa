"""Of which thing an article is if several bear the name of its topic, and what its warning names."""

from makers import evidence

from rarr.ledger.passages_of_one_namesake import of_one_namesake
from rarr.records import Evidence


def page(title: str, text: str = "Velmar is old.", number: int = 1) -> Evidence:
    passage = evidence(text, id=f"q1.{number}", source=f"{number}.md")
    return passage.model_copy(update={"title": title})


TOWN, BAND, VILLAGE = page("Velmar"), page("Velmar (band)", number=2), page("Velmar (Ostrava)", number=3)


def test_plain_name_is_the_thing_without_a_qualifier() -> None:
    chosen = of_one_namesake("Velmar", [BAND, TOWN, VILLAGE])
    assert (chosen.passages, chosen.left_out) == ([TOWN], ("Velmar (Ostrava)", "Velmar (band)"))


def test_warning_names_the_others() -> None:
    [notice] = of_one_namesake("Velmar", [BAND, TOWN]).notices()
    assert notice.code == "ambiguous_name"
    assert "Velmar (band)" in notice.message


def test_qualifier_of_the_topic_chooses() -> None:
    for topic in ("Velmar (band)", "Velmar band"):
        chosen = of_one_namesake(topic, [TOWN, BAND, VILLAGE])
        assert (chosen.passages, chosen.name) == ([BAND], "Velmar (band)")


def test_without_a_plain_page_most_passages_choose() -> None:
    chosen = of_one_namesake("Velmar", [VILLAGE, BAND, page("Velmar (band)", "More.", 4)])
    assert (chosen.name, chosen.left_out) == ("Velmar (band)", ("Velmar (Ostrava)",))


def test_page_of_another_name_that_speaks_of_the_topic_stays() -> None:
    guide = page("guide", "Velmar lies on the Sarn.", 5)
    assert of_one_namesake("Velmar", [guide, BAND, TOWN]).passages == [guide, TOWN]
    assert of_one_namesake("Velmar", [guide, BAND, VILLAGE]).passages == [guide]


def test_pages_of_other_names_are_no_namesakes() -> None:
    pages = [TOWN, page("Golden (film)", number=6)]
    chosen = of_one_namesake("Velmar", pages)
    assert (chosen.passages, chosen.notices()) == (pages, [])


def test_page_with_the_name_and_without_the_qualifier_is_not_about_the_band() -> None:
    guide, fans = page("guide", "Velmar lies on the Sarn.", 5), page("fans", "The band Velmar was loud.", 6)
    chosen = of_one_namesake("Velmar (band)", [guide, fans, BAND])
    assert (chosen.passages, chosen.left_out) == ([fans, BAND], ("guide",))


def test_one_qualifier_without_a_plain_page_tells_nothing_apart() -> None:
    pages = [page("guide", "Velmar lies on the Sarn.", 5), page("Velmar (town)", number=6)]
    assert of_one_namesake("Velmar", pages).passages == pages


def test_year_in_a_title_makes_no_namesake() -> None:
    pages = [TOWN, page("Velmar (2022)", number=6)]
    assert of_one_namesake("Velmar", pages).passages == pages
