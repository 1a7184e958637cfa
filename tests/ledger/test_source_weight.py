"""The weight of sources: their number, kind and age count, and the order of reading does not."""

from datetime import UTC, datetime

import pytest
from makers import ASKED, FACT, evidence

from rarr.ledger.source_weight import heavier, independent_groups, source_kind
from rarr.records import Evidence


def from_(source: str, text: str = FACT, year: int | None = None) -> Evidence:
    published = datetime(year, 1, 1, tzinfo=UTC) if year else None
    return evidence(f"{text} {source}", source=source).model_copy(update={"published_at": published})


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("https://en.wikipedia.org/wiki/Peach", "reference"),
        ("https://www.reddit.com/r/peaches", "forum"),
        ("https://agriculture.ga.gov/peaches", "official"),
        ("https://notwikipedia.org/", "other"),
        ("en.wikipedia.org/wiki/Peach", "reference"),
        ("example.org/page", "other"),
        ("peaches.md", "own"),
        ("notes/peaches.md", "own"),
    ],
)
def test_sources_have_a_kind_by_their_domain(source: str, kind: str) -> None:
    assert source_kind(source, {}) == kind


def test_sources_have_the_kind_that_the_settings_say() -> None:
    assert source_kind("https://blog.example.org/a", {"example.org": "news"}) == "news"
    assert source_kind("https://en.wikipedia.org/wiki/A", {"wikipedia.org": "forum"}) == "forum"


def test_sources_of_one_owner_are_one_however_many_hosts_there_are() -> None:
    hosts = ("a.evil.com", "b.evil.com", "evil.com", "a.evil.co.uk", "b.evil.co.uk", "other.co.uk")
    sources = [from_(f"https://{host}/", f"{host} says so, in words of its own.") for host in hosts]
    assert sorted(len(group) for group in independent_groups(sources)) == [1, 2, 3]


def test_mirrored_sources_are_one() -> None:
    text = "The harvest of the state was the largest of all that year, as the ministry said in its report."
    copy = evidence(text, source="https://b.org/copy")
    assert len(independent_groups([evidence(text, source="https://a.org/first"), copy])) == 1


A, B, C = (from_(f"https://{name}.org") for name in "abc")


@pytest.mark.parametrize(
    ("ours", "theirs", "side"),
    [
        ([A, B], [C], "for"),
        ([C], [A, B], "against"),
        ([A], [B], None),
        ([from_("notes.md")], [A, B, from_("https://x.gov")], "for"),  # the user's documents outweigh all
        ([A, B], [from_("https://en.wikipedia.org/wiki/A")], "against"),
    ],
)
def test_heavier_side(ours: list[Evidence], theirs: list[Evidence], side: str | None) -> None:
    assert heavier(ours, theirs, ASKED, {}) == side


@pytest.mark.parametrize(("sentence", "side"), [("She is the current mayor.", "for"), (ASKED, "against")])
def test_newer_sources_are_believed_about_the_present(sentence: str, side: str) -> None:
    new = [from_("https://a.org", year=2020)]
    old = [from_("https://b.org", year=2019), from_("https://c.org", year=2018)]
    assert heavier(new, old, sentence, {}) == side
