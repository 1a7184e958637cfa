"""Only what a passage says of the same thing, in the same unit and without a doubt, confirms or corrects."""

from collections.abc import Sequence

import pytest

from rarr import Passage, Revision
from rarr.testing import InMemoryRetriever
from rarr.testing.doubles import RETRIEVED_AT

pytestmark = pytest.mark.slow

# Each is right by one sentence of its passage; another sentence has the values in each other's place.
BOTH_WAYS = [
    ("The ferry sails from Oslen to Tarn at 9:00.", "The ferry sails from Tarn to Oslen at 17:00."),
    ("The bus runs from Norby to Sund at 7:30.", "The bus runs from Sund to Norby at 18:10."),
    ("Elm defeated Hay in 1950.", "Hay defeated Elm in 1952."),
    ("Oslen won 3 to 1 against Tarn in May.", "Tarn won 3 to 1 against Oslen in June."),
    (
        "Entry costs 12 euros for adults and 8 euros for children.",
        "On Mondays, entry costs 8 euros for adults and 12 euros for children.",
    ),
    ("Lunde lent the archive to Reed in 1960.", "Reed lent the archive to Lunde in 1971."),
]
# A number that is wrong by 1 to 2 per cent, with its unit spelled otherwise.
SPELLED_UNITS = [
    ("Tolk Tower is 224 m high.", "Tolk Tower is 221 metres high."),
    ("The bell of Sund weighs 102 kg.", "The bell of Sund weighs 100 kilograms."),
    ("The Norby tunnel is 1,025 feet long.", "The Norby tunnel is 1,010 ft long."),
    ("The film Grey Tide lasts 61 minutes.", "The film Grey Tide lasts 60 min."),
    ("The Harl road is 50.5 km long.", "The Harl road is 50 kilometres long."),
    ("Lake Orm holds 303 litres a second.", "Lake Orm holds 300 l a second."),
]
TITLES = [
    ("Tolk Bridge has 12 arches.", "12 facts about Tolk Bridge", "Tolk Bridge has arches of granite."),
    ("Blue Field sold 40,000 copies in 1972.", "Best albums of 1972", "Blue Field sold 40,000 copies."),
    ("Tolk Bridge opened in 1936.", "Tolk Bridge: report of 1936", "Tolk Bridge opened with a parade."),
    ("The Harl Fair lasts 5 days.", "5 days in Harl", "The Harl Fair lasts some days in June."),
]
OTHER_NAMES = [
    ("The school was founded by Peter Stephens.", "The school was founded by Peter Stephen."),
    ("The mill was built by Anders Holm.", "The mill was built by Anderson Holm."),
    ("The hall was designed by Maria Lind.", "The hall was designed by Marianne Lind."),
    ("The treaty was signed in Norland.", "The treaty was signed in Norlund."),
    ("The prize went to Robert Marten.", "The prize went to Robert Martens."),
]
DENIED = [
    ("Tolk House has a large garden.", "It is a myth that Tolk House has a large garden."),
    ("Tolk House has a large garden.", "Hay House has a large garden. Tolk House has none."),
    ("Sund Castle has a drawbridge.", "Guides like to say that Sund Castle has a drawbridge."),
]


def passages(*pages: tuple[str, str]) -> list[Passage]:
    return [
        Passage(text=text, title=title, source=f"{n}.md", start=0, end=len(text), retrieved_at=RETRIEVED_AT)
        for n, (title, text) in enumerate(pages)
    ]


def revised(text: str, pages: Sequence[Passage]) -> Revision:
    from rarr import revise

    return revise(text, search=InMemoryRetriever(pages), trace=False)


@pytest.mark.parametrize(("right", "reverse"), BOTH_WAYS)
@pytest.mark.parametrize("right_first", [True, False])
def test_sentence_is_right_if_one_sentence_of_the_passage_says_it(
    right: str, reverse: str, *, right_first: bool
) -> None:
    page = f"{right} {reverse}" if right_first else f"{reverse} {right}"
    revision = revised(right, passages(("", page)))
    assert not revision.changed
    assert [sentence.status for sentence in revision.report.sentences] == ["supported"]


@pytest.mark.parametrize(("right", "reverse"), BOTH_WAYS)
def test_two_passages_may_tell_of_two_events(right: str, reverse: str) -> None:
    revision = revised(right, passages(("", right), ("", reverse)))
    assert not revision.changed


@pytest.mark.parametrize(("text", "page"), SPELLED_UNITS)
def test_spelling_of_a_unit_forgives_no_other_number(text: str, page: str) -> None:
    revision = revised(text, passages(("", page)))
    assert revision.changed or revision.report.sentences[0].status != "supported"


@pytest.mark.parametrize(("text", "title", "page"), TITLES)
def test_number_in_a_title_confirms_nothing(text: str, title: str, page: str) -> None:
    assert revised(text, passages((title, page))).report.sentences[0].status != "supported"


@pytest.mark.parametrize(("text", "page"), OTHER_NAMES)
def test_name_that_begins_alike_is_another_name(text: str, page: str) -> None:
    revision = revised(text, passages(("", page)))
    assert revision.changed or revision.report.sentences[0].status != "supported"
    assert all(
        check.verdict != "agrees" for check in revision.checks if text[:-1].endswith(check.text_answer)
    )


@pytest.mark.parametrize(("text", "page"), DENIED)
def test_words_in_a_doubted_or_other_sentence_confirm_nothing(text: str, page: str) -> None:
    assert revised(text, passages(("", page))).report.sentences[0].status != "supported"
