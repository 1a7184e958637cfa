"""What the method is compared with does what its name says."""

from makers import evidence, query

from rarr.backends.baselines import NoRewriter, UnaskedAgreement

TEXT = "The Orrel Bridge opened in 1932. It is 300 m long."


async def test_unasked_agreement_gives_no_verdict() -> None:
    agreement = await UnaskedAgreement().check(TEXT, None, query(27, 31), evidence("It opened in 1936."))
    assert (agreement.verdict, agreement.evidence_answer) == ("unknown", "")


async def test_no_evidence_is_not_rewritten() -> None:
    assert await NoRewriter().rewrite(TEXT, None, [evidence()]) == TEXT
