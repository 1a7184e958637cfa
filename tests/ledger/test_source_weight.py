"""The weight of sources: their number, kind and age count, and the order of reading does not."""

import itertools
from datetime import UTC, datetime

import pytest
from makers import ASKED, FACT, TEXT, disagrees, evidence, passage

from rarr import Reviser, Revision, Settings
from rarr.ledger.source_weight import Side, independent_groups, source_kind
from rarr.records import Agreement, Evidence, Passage
from rarr.testing import InMemoryRetriever, ScriptedChecker, ScriptedQueries, scripted_components


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


def test_sources_of_one_domain_or_file_are_one() -> None:
    sources = [
        from_("https://a.org/1"),
        from_("https://www.a.org/2"),
        from_("notes/a.md"),
        from_("notes/a.md"),
    ]
    assert [len(group) for group in independent_groups(sources)] == [2, 2]


def test_sources_of_one_owner_are_one_however_many_hosts_there_are() -> None:
    hosts = ("a.evil.com", "b.evil.com", "evil.com", "a.evil.co.uk", "b.evil.co.uk", "other.co.uk")
    sources = [from_(f"https://{host}/", f"{host} says so, in words of its own.") for host in hosts]
    assert sorted(len(group) for group in independent_groups(sources)) == [1, 2, 3]


def test_source_that_joins_two_groups_makes_them_one() -> None:
    text = "The harvest of the state was the largest of all that year, as the ministry said in its report."
    first, second, copy = (
        evidence("Peaches grow here.", source="https://x.org/1"),
        evidence(text, source="https://y.org/1"),
        evidence(text, source="https://x.org/2"),
    )
    assert [len(group) for group in independent_groups([first, second, copy])] == [3]


def test_unnamed_sources_are_one_group_of_kind_other() -> None:
    sources = [from_("unnamed:1a", "Peaches grow here."), from_("unnamed:2b", "The harvest was good.")]
    assert [len(group) for group in independent_groups(sources)] == [2]
    assert source_kind("unnamed:1a", {}) == "other"


def test_mirrored_sources_are_one() -> None:
    text = "The harvest of the state was the largest of all that year, as the ministry said in its report."
    copy = evidence(text, source="https://b.org/copy")
    assert len(independent_groups([evidence(text, source="https://a.org/first"), copy])) == 1


def test_more_independent_sources_outweigh_fewer() -> None:
    pair, single = (
        Side([from_("https://a.org"), from_("https://b.org")], {}),
        Side([from_("https://c.org")], {}),
    )
    assert pair.outweighs(single, ASKED)
    assert not single.outweighs(pair, ASKED)


def test_sources_that_weigh_the_same_outweigh_neither() -> None:
    first, second = Side([from_("https://a.org")], {}), Side([from_("https://b.org")], {})
    assert not first.outweighs(second, ASKED)
    assert not second.outweighs(first, ASKED)


@pytest.mark.parametrize(("asked", "newer_wins"), [("Who is the current mayor?", True), (ASKED, False)])
def test_newer_sources_are_believed_about_the_present(asked: str, newer_wins: bool) -> None:
    new = Side([from_("https://a.org", year=2026)], {})
    old = Side([from_("https://b.org", year=2019), from_("https://c.org", year=2018)], {})
    assert new.outweighs(old, asked) == newer_wins


SAYS = {
    "California": disagrees(),
    "Texas": disagrees("Georgia", "Texas"),
    "Georgia": Agreement(verdict="agrees"),
}


def checked(text: str, query: object, evidence: Evidence) -> Agreement:
    """What each page says, of the text as it is."""
    state = next(state for state in SAYS if state in evidence.text)
    if state in text:
        return Agreement(verdict="agrees")
    text_state = next(other for other in SAYS if other in text)
    return disagrees(text_state, state)


def revised(passages: list[Passage]) -> Revision:
    components = scripted_components(
        settings=Settings(evidence_per_query=5),
        query_generator=ScriptedQueries([(ASKED, "Georgia")]),
        retriever=InMemoryRetriever({ASKED: list(passages)}),
        checker=ScriptedChecker(checked),
    )
    return Reviser(components=components).revise(TEXT)


def outcome(revision: Revision) -> str:
    return revision.model_dump_json(exclude={"run_id", "usage"})


SETS = {
    "two against one": ["California a.org", "California b.org", "Georgia c.org"],
    "one against one": ["California a.org", "Georgia c.org"],
    "three answers": ["California a.org", "Texas b.org", "Georgia c.org"],
    "two answers, one stronger": ["California a.org", "California b.org", "Texas c.org", "Georgia d.org"],
}


@pytest.mark.slow
@pytest.mark.parametrize("pages", SETS.values(), ids=SETS)
def test_sources_in_any_order_give_the_same_revision(pages: list[str]) -> None:
    passages = [
        passage(f"{state} grows the most peaches, says {host}.", source=f"https://{host}/")
        for state, host in map(str.split, pages)
    ]
    outcomes = {outcome(revised(list(order))) for order in itertools.permutations(passages)}
    assert len(outcomes) == 1


def test_sources_decide_by_their_number() -> None:
    sources = [
        passage(f"California grows the most, says {host}.", source=f"https://{host}/")
        for host in ("a.org", "b.org")
    ]
    against = passage("Georgia grows the most, says c.org.", source="https://c.org/")
    assert revised([*sources, against]).text == "California grows the most peaches."


def test_tie_of_sources_leaves_the_text_and_lists_both() -> None:
    both = [
        passage(f"{state} grows the most, says {host}.", source=f"https://{host}/")
        for state, host in (("California", "a.org"), ("Georgia", "b.org"))
    ]
    revision = revised(both)
    [sentence] = revision.report.sentences
    assert (revision.text, sentence.status, len(sentence.evidence_ids)) == (TEXT, "contradicted", 2)
