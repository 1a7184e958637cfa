"""What the method is compared with does what its name says."""

import pytest
from makers import evidence, query

from rarr.backends.rules.baseline_components import (
    NoRewriter,
    RandomRewriter,
    TextQueries,
    UnaskedAgreement,
    UngatedAgreement,
)
from rarr.components import Lacking
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "The Orrel Bridge opened in 1932. It is 300 m long."
FIRST, SECOND = TEXT[:32], TEXT[33:]


async def test_sentences_are_searched_for_as_they_stand() -> None:
    queries = await TextQueries("sentences", by_value=False).generate(TEXT, None)
    assert [(query.text, TEXT[query.start : query.end]) for query in queries] == [
        (FIRST, FIRST),
        (SECOND, SECOND),
    ]


async def test_the_text_is_searched_for_as_it_stands() -> None:
    [query] = await TextQueries("text", by_value=False).generate(TEXT, None)
    assert (query.text, query.start, query.end) == (TEXT, 0, len(TEXT))


async def test_each_value_has_a_query_of_the_same_words() -> None:
    queries = await TextQueries("text", by_value=True).generate(TEXT, None)
    assert {query.text for query in queries} == {TEXT}
    assert [TEXT[query.start : query.end] for query in queries] == ["1932", "300"]


async def test_the_text_is_not_searched_for_twice() -> None:
    assert await TextQueries("text", by_value=False).target(TEXT, None, Lacking([Span(0, 32)], [TEXT])) == ()


@pytest.mark.parametrize(
    ("passage", "other"),
    [
        ("The Orrel Bridge opened in 1936.", "1936"),
        ("The tunnel, which opened in 1951, is near the bridge.", "1951"),  # that is the baseline's fault
        ("The Orrel Bridge opened in 1932.", ""),
        ("The bridge is made of steel.", ""),
    ],
)
async def test_another_value_is_found_whether_or_not_it_contradicts(passage: str, other: str) -> None:
    agreement = await UngatedAgreement().check(TEXT, None, query(27, 31), evidence(passage))
    assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == ("unknown", "1932", other)


async def test_unasked_agreement_gives_no_verdict() -> None:
    agreement = await UnaskedAgreement().check(TEXT, None, query(27, 31), evidence("It opened in 1936."))
    assert (agreement.verdict, agreement.evidence_answer) == ("unknown", "")


async def test_random_rewriter_changes_one_word_and_repeats_itself() -> None:
    span, passages = Span(0, 32), [evidence("Steel tunnels")]
    first, again = [await RandomRewriter().rewrite(TEXT, None, span, passages) for _ in range(2)]
    changed = [new for old, new in zip(FIRST.split(), first.split(), strict=True) if old != new]
    assert first == again
    assert changed in (["Steel"], ["tunnels"])


async def test_no_evidence_is_no_change() -> None:
    assert await RandomRewriter().rewrite(TEXT, None, Span(0, 32), []) == FIRST


async def test_no_evidence_is_not_rewritten() -> None:
    assert await NoRewriter().rewrite(TEXT, None, Span(0, len(TEXT)), [evidence()]) == TEXT
