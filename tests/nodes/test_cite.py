"""What a sentence of an article cites after an edit of its words."""

from makers import edit, evidence, runtime, state

from rarr.nodes.cite import cite
from rarr.records.articles import SectionDraft, WrittenSentence
from rarr.testing import ScriptedVerifier

OLD, NEW = "The dam was opened in 1963.", "The dam was opened in 1936."


async def test_edited_sentence_is_disputed_no_longer() -> None:
    disputed = WrittenSentence(
        section_id="s1",
        start=0,
        end=len(OLD),
        evidence_ids=("q1.1",),
        disputed_by=("q1.2",),
        status="contradicted",
    )
    before = state(
        NEW,
        original=OLD,
        found=[evidence(NEW)],
        topic="Dam",
        sentences=[disputed],
        drafts={"s1": SectionDraft(section_id="s1", heading="A", text=OLD, evidence_ids=("q1.1",))},
        edits=[edit(22, 26, "1936").model_copy(update={"old": "1963", "evidence_id": "q1.1"})],
    )
    after = await cite(before, runtime(verifier=ScriptedVerifier(lambda claim, passage: 1.0)))
    [sentence] = after["sentences"]
    assert (sentence.status, sentence.disputed_by) == ("supported", ())
