"""What the method is compared with does what its name says."""

from makers import evidence, query

from rarr.backends.baselines import NoRewriter, RandomRewriter, UnaskedAgreement
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "The Orrel Bridge opened in 1932. It is 300 m long."
FIRST = TEXT[:32]


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
