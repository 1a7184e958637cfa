"""The citations of an article: what the cards of its sentences quote."""

from typing import Any

from makers import evidence, query, runtime, state

from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.nodes.cite import cite
from rarr.records.articles import PlannedSection, SectionDraft
from rarr.state import State

HEIGHT = "The dam is 221 metres high."


async def cited(text: str, *passages: str) -> State:
    found = [evidence(words, id=f"q1.{n}", start=100 * n) for n, words in enumerate(passages, start=1)]
    names = tuple(passage.id for passage in found)
    before: Any = state("Dam", queries=[query(0, 0)], found=found, topic="Dam")
    before |= {
        "sections": [PlannedSection(id="s1", heading="A", query_id="q1")],
        "drafts": {"s1": SectionDraft(section_id="s1", heading="A", text=text, evidence_ids=names)},
    }
    return await cite(before, runtime(card_reader=NearQuoteReader()))


async def test_sentence_cites_what_its_card_quotes_whatever_the_writer_cited() -> None:
    after = await cited(f"{HEIGHT}[1]", "It was painted.", HEIGHT)
    [sentence] = after["sentences"]
    assert (sentence.status, sentence.evidence_ids) == ("supported", ("q1.2",))
    assert [(it.label, it.entails) for it in sentence.written] == [("1", False)]


async def test_wrong_value_is_edited_and_cited() -> None:
    after = await cited("The dam is 212 metres high.[1]", HEIGHT)
    [sentence] = after["sentences"]
    assert after["text"][sentence.start : sentence.end] == HEIGHT
    assert (sentence.status, sentence.evidence_ids) == ("supported", ("q1.1",))


async def test_sentence_that_no_passage_decides_has_no_citation() -> None:
    [sentence] = (await cited("The dam was painted red in spring.[1]", HEIGHT))["sentences"]
    assert (sentence.status, sentence.evidence_ids) == ("unconfirmed", ())
