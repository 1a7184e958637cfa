"""A row's own evidence, searched."""

from rarr.evals.row_retriever import RowRetriever
from rarr.evals.rows import RowEvidence
from rarr.records import Passage

MILL = RowEvidence(text="The mill opened in 1937. It is red.", title="Mill", source="https://x.example/m")


async def retrieved(
    *evidence: RowEvidence, query: str = "When did the mill open?", k: int = 5
) -> list[Passage]:
    return list(await RowRetriever(evidence, window=1, step=1).retrieve(query, k))


async def test_passages_are_windows_with_their_place() -> None:
    first, second = await retrieved(MILL)
    assert (first.text, first.source, first.title) == ("The mill opened in 1937.", MILL.source, "Mill")
    assert MILL.text[second.start : second.end] == second.text == "It is red."


async def test_nearest_document_comes_first_and_k_are_found() -> None:
    other = RowEvidence(text="Cows graze.", source="https://x.example/c")
    assert [passage.source for passage in await retrieved(other, MILL)] == [
        MILL.source,
        MILL.source,
        other.source,
    ]
    assert {passage.source for passage in await retrieved(other, MILL, k=1)} == {MILL.source}


async def test_evidence_without_a_source_is_a_document_of_its_own() -> None:
    first, second = await retrieved(RowEvidence(text="Cows."), RowEvidence(text="Goats."))
    assert (first.source, second.source) == ("unnamed:1", "unnamed:2")


async def test_pieces_of_one_source_do_not_overlap() -> None:
    first, second = await retrieved(*(MILL.model_copy(update={"text": text}) for text in ("Cows.", "Goats.")))
    assert (first.start, first.end, second.start) == (0, 5, 6)


async def test_no_evidence_is_found_in_none() -> None:
    assert await retrieved() == []


async def test_one_document_does_not_crowd_out_the_rest() -> None:
    long = RowEvidence(text=" ".join(f"The mill opened in {year}." for year in range(1900, 1930)))
    assert len(await retrieved(long, MILL)) == 8 + 2
