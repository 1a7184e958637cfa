"""Which words of a section's passages are read about a sentence without support."""

from makers import evidence, query, runtime, state

from rarr.nodes.reread import reread
from rarr.records.articles import SectionDraft, WrittenSentence
from rarr.settings import Settings

TEXT = "The dam was opened in 1963. The bridge is red."
LONG = (
    "A dam is a wall. It holds water. The dam was opened in 1936. It was cold. The lake is blue. It is deep."
)


async def found(settings: Settings | None = None) -> list[tuple[str, str, int]]:
    asked = query(23, 27, id="q4", text="opened when").model_copy(update={"round": 3})
    sentences = [
        WrittenSentence(section_id="s1", start=0, end=27),
        WrittenSentence(section_id="s2", start=28, end=46),
    ]
    drafts = {
        "s1": SectionDraft(section_id="s1", heading="A", text=TEXT, evidence_ids=("q1.1",)),
        "s2": SectionDraft(section_id="s2", heading="B", text=TEXT, evidence_ids=("q2.1",)),
    }
    passages = [evidence(LONG, id="q1.1", start=100), evidence("The dam was opened in 1963.", id="q2.1")]
    before = state(TEXT, queries=[asked], found=passages, sentences=sentences, drafts=drafts, round=3)
    after = await reread(before, runtime(settings))
    return [(each.id, each.text, each.start) for each in after["evidence"][2:]]


async def test_the_nearest_sentences_of_the_own_section_are_read() -> None:
    assert await found(Settings(window=1)) == [("q4.1", "The dam was opened in 1936.", 133)]


async def test_as_many_sentences_are_read_as_a_window_has() -> None:
    [(_, text, start)] = await found(Settings(window=2))
    assert "The dam was opened in 1936." in text
    assert LONG[start - 100 :].startswith(text)
