"""Days and domains as people write them, and limits that nothing is within."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import SettingsError
from rarr.settings import Settings

DAY = datetime(2020, 1, 31)


def refused(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (2020, datetime(2020, 1, 1)),
        ("2020", datetime(2020, 1, 1)),
        (" 2020 ", datetime(2020, 1, 1)),
        ("2020-05", datetime(2020, 5, 1)),
        ("2020-01-31", DAY),
        ("2020-01-31T12:00Z", datetime(2020, 1, 31, 12, tzinfo=UTC)),
        ("2020-01-31 12:00", datetime(2020, 1, 31, 12)),
        (date(2020, 1, 31), DAY),
        (DAY, DAY),
        (None, None),
    ],
)
def test_date_formats_are_read(given: object, meant: datetime | None) -> None:
    assert Settings(published_after=given).published_after == meant


@pytest.mark.parametrize("source", ["environment", "file"])
def test_year_is_read_from_a_file_and_from_the_environment(
    source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if source == "file":
        Path("rarr.toml").write_text("published_before = 2020")
    else:
        monkeypatch.setenv("RARR_PUBLISHED_BEFORE", "2020")
    assert Settings().published_before == datetime(2020, 1, 1)


@pytest.mark.parametrize(
    "given", [20, 1577836800, 20200131, "1577836800", "20200131", "2020-13-01", "May 2020", "", 2020.5, True]
)
def test_value_that_is_not_a_date_is_refused_with_an_example(given: object) -> None:
    cure = "give a year, such as 2020, a day, such as 2020-01-31, or a time, such as 2020-01-31T12:00Z"
    assert refused(published_after=given) == f"setting 'published_after' is {given!r}: {cure}"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("a.org", ["a.org"]),
        ("a.org, b.org,", ["a.org", "b.org"]),
        (["*.a.org", ".b.org", " c.org. "], ["a.org", "b.org", "c.org"]),
        (["gov", "straße.de", "A.org"], ["gov", "straße.de", "A.org"]),
        ([], []),
    ],
)
def test_domain_formats_are_read(given: object, meant: list[str]) -> None:
    assert Settings(include_domains=given).include_domains == meant


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("not a domain", "'not a domain' is not a domain: give a host, such as example.org"),
        ("https://a.org/x", "'https://a.org/x' is not a domain: give its host, a.org"),
        ("a.org/x", "'a.org/x' is not a domain: give its host, a.org"),
        ("a.org:80", "'a.org:80' is not a domain: give its host, a.org"),
        ("-a.org", "'-a.org' is not a domain: give a host"),
        ("http://[", "'http://[' is not a domain: give a host"),
        ("*", "'*' is not a domain: give a host"),
        ("", "'' is not a domain: give a host"),
    ],
)
@pytest.mark.parametrize("setting", ["include_domains", "exclude_domains", "source_kinds"])
def test_address_in_place_of_a_domain_is_refused_with_its_host(setting: str, given: str, host: str) -> None:
    assert host in refused(**{setting: {given: "news"} if setting == "source_kinds" else [given]})


@pytest.mark.parametrize("given", [5, [5]])
def test_value_that_is_not_a_list_of_texts_is_refused(given: object) -> None:
    assert "give a " in refused(include_domains=given)


def test_source_kinds_are_stored_by_plain_domain() -> None:
    assert Settings(source_kinds={"*.a.org": "news"}).source_kinds == {"a.org": "news"}


@pytest.mark.parametrize(
    ("wanted", "other"), [("a.org", "a.org"), ("www.A.org", "a.org"), ("b.a.org", "a.org")]
)
def test_domain_both_included_and_excluded_is_refused(wanted: str, other: str) -> None:
    message = f"include_domains has {wanted!r}, and exclude_domains has {other!r}: leave one of them out"
    assert refused(include_domains=[wanted], exclude_domains=[other]) == message


def test_subdomain_of_an_included_domain_can_be_excluded() -> None:
    assert Settings(include_domains=["a.org"], exclude_domains=["b.a.org", "xa.org"])


@pytest.mark.parametrize(("after", "before"), [(2021, 2020), (2020, 2020), ("2020-01-01T01:00+01:00", 2020)])
def test_empty_date_range_is_refused(after: object, before: object) -> None:
    message = refused(published_after=after, published_before=before)
    assert message.startswith("published_after is 202")
    assert message.endswith(
        "and published_before is 2020-01-01: "
        "nothing is published between them; give a published_after that is earlier"
    )
