"""The reranker of the encoder that ships."""

from makers import passage

from rarr.encoder.model import shipped
from rarr.trained.ranking import TrainedReranker

PASSAGES = [
    passage("The Golden Gate Bridge opened to traffic in May 1937.", "a"),
    passage("The bridge is painted in a colour called international orange.", "b"),
    passage("Shares fell on Monday.", "c"),
]


async def test_the_passage_that_answers_comes_first() -> None:
    found = await TrainedReranker(shipped()).score("When did the Golden Gate Bridge open?", PASSAGES)
    assert max(range(3), key=lambda n: found[n]) == 0
    assert all(0 <= one <= 1 for one in found)


async def test_no_passages_have_no_scores() -> None:
    assert list(await TrainedReranker(shipped()).score("When?", [])) == []
