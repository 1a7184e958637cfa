"""The weight of sources depends on their number, kind and age, but not on the order of reading."""

from datetime import UTC, datetime

import pytest
from makers import ASKED, FACT, evidence

from rarr.ledger.source_weight import heavier_side, independent_groups, source_kind
from rarr.records import Evidence
from rarr.settings import Kind


def passage(source: str, text: str = FACT, year: int | None = None) -> Evidence:
    published = datetime(year, 1, 1, tzinfo=UTC) if year else None
    return evidence(f"{text} {source}", source=source, published_at=published)


@pytest.mark.parametrize(
    ("source", "own", "kind"),
    [
        ("https://en.wikipedia.org/wiki/Peach", {}, "reference"),
        ("https://www.reddit.com/r/peaches", {}, "forum"),
        ("https://agriculture.ga.gov/peaches", {}, "official"),
        ("https://notwikipedia.org/", {}, "other"),
        ("en.wikipedia.org/wiki/Peach", {}, "reference"),
        ("example.org/page", {}, "other"),
        ("peaches.md", {}, "own"),
        ("notes/peaches.md", {}, "own"),
        ("https://blog.example.org/a", {"example.org": "news"}, "news"),
        ("https://en.wikipedia.org/wiki/A", {"wikipedia.org": "forum"}, "forum"),
    ],
)
def test_source_has_a_kind_by_its_domain_or_settings(source: str, own: dict[str, Kind], kind: Kind) -> None:
    assert source_kind(source, own) == kind


def test_sources_of_one_owner_are_one_however_many_hosts_there_are() -> None:
    hosts = ("a.evil.com", "b.evil.com", "evil.com", "a.evil.co.uk", "b.evil.co.uk", "other.co.uk")
    sources = [passage(f"https://{host}/", f"{host} says so, in words of its own.") for host in hosts]
    assert sorted(len(group) for group in independent_groups(sources)) == [1, 2, 3]


def test_mirrored_sources_are_one() -> None:
    text = "The harvest of the state was the largest of all that year, as the ministry said in its report."
    copy = evidence(text, source="https://b.org/copy")
    assert len(independent_groups([evidence(text, source="https://a.org/first"), copy])) == 1


A, B, C = (passage(f"https://{name}.org") for name in "abc")
NEW, OLD = ([passage(f"https://{it}.org", year=it) for it in years] for years in ((2020,), (2019, 2018)))


@pytest.mark.parametrize(
    ("ours", "theirs", "sentence", "side"),
    [
        ([A, B], [C], ASKED, "for"),
        ([C], [A, B], ASKED, "against"),
        ([A], [B], ASKED, None),
        ([passage("notes.md")], [A, B, passage("https://x.gov")], ASKED, "for"),  # own documents outweigh all
        ([A, B], [passage("https://en.wikipedia.org/wiki/A")], ASKED, "against"),
        (NEW, OLD, ASKED, "against"),
        (NEW, OLD, "She is the current mayor.", "for"),  # newer sources are believed about the present
    ],
)
def test_heavier_side(ours: list[Evidence], theirs: list[Evidence], sentence: str, side: str | None) -> None:
    assert heavier_side(ours, theirs, sentence, {}) == side
