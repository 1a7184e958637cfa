"""Limits decide which sources may be used; keys show which addresses lead to the same page."""

from datetime import UTC, datetime

import pytest

from rarr.records import Passage
from rarr.retrievers.web.domain_and_date_limits import allowed_passages, allows_domain, page_key, site_of
from rarr.settings import Settings
from rarr.testing import RETRIEVED_AT
from retrievers.makers import words

DAY = datetime(2024, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "domain", "fits"),
    [
        ("https://www.example.org/a", "example.org", True),
        ("https://a.b.example.org", "www.example.org", True),
        ("https://example.org./", "*.example.org", True),
        ("https://bücher.example/", "xn--bcher-kva.example", True),
        ("https://badexample.org/", "example.org", False),
        ("https://example.org.evil.com/", "example.org", False),
        ("https://example.org@evil.com/", "example.org", False),
        ("https://evil.com/?u=example.org", "example.org", False),
        ("https://example.org", "sub.example.org", False),
        ("notes/example.org", "example.org", False),
    ],
)
def test_sources_match_domains_label_by_label(url: str, domain: str, fits: bool) -> None:
    assert allows_domain(Settings(include_domains=[domain]), url) is fits
    assert allows_domain(Settings(exclude_domains=[domain]), url) is not fits


@pytest.mark.parametrize(
    "url",
    words("https://evil.com\\@example.org/ https://[bad/ http://a.org:99999/ https://ＥＸＡＭＰＬＥ.org/"),
)
def test_sources_with_an_ambiguous_host_are_excluded_by_any_domain_filter(url: str) -> None:
    assert not allows_domain(Settings(include_domains=["example.org"]), url)
    assert not allows_domain(Settings(exclude_domains=["example.org"]), url)


PAGE = "https://example.org/a/b"
SAME = words("http://www.example.org./a/b https://EXAMPLE.org:443/a/b/#part https://example.org/%61/b")
OTHERS = words("""
    https://example.org/a/b?page=1 https://example.org/a/b?page=2 https://example.org/A/b
    https://example.org:8080/a/b https://org/a/b a/b a/b#1
""")


def test_addresses_of_one_page_have_one_name() -> None:
    assert {page_key(other) for other in SAME} == {page_key(PAGE)}
    assert len({page_key(other) for other in (PAGE, *OTHERS)}) == 1 + len(OTHERS)


@pytest.mark.parametrize(
    ("moment", "after", "before", "fits"),
    [
        (DAY, DAY, None, True),
        (DAY, None, DAY, False),
        (DAY.replace(tzinfo=None), datetime(2024, 3, 4, tzinfo=UTC), datetime(2024, 3, 6, tzinfo=UTC), True),
        (None, None, None, True),
        (None, DAY, None, False),
    ],
)
def test_sources_are_within_dates(
    moment: datetime | None, after: datetime | None, before: datetime | None, fits: bool
) -> None:
    passage = Passage(text="", source="a", start=0, end=0, retrieved_at=RETRIEVED_AT, published_at=moment)
    limits = Settings(published_after=after, published_before=before)
    assert allowed_passages(limits, [passage]) == [passage] * fits


SITES = {
    "https://www.a.org/x": "a.org",
    "https://a.b.example.co.uk/x": "example.co.uk",
    "https://one.github.io/": "github.io",
    "http://192.0.2.1:8080/x": "192.0.2.1",
    "www.a.org": "a.org",
    "https://a.b.unknown/": "b.unknown",
    **dict.fromkeys(("a.md", "notes/a.org"), ""),
    **dict.fromkeys(("http://[a/x", "http://a.org\\.b.org/"), "?"),
}


def test_sources_are_grouped_by_registered_domain() -> None:
    assert {source: site_of(source) for source in SITES} == SITES
