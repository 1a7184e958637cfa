"""A baseline rewrites the sentences that have evidence, and each new sentence is an edit."""

from collections.abc import Callable, Sequence

from makers import evidence, query, runtime, state

from rarr.nodes.baseline_rewrite import rewrite
from rarr.records import Evidence, with_edits
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "One. Two. Three."


class Rewriting:
    """Rewrites a part as the function says."""

    def __init__(self, new: Callable[[str, Sequence[Evidence]], str], *, whole: bool = False) -> None:
        self.whole, self._new = whole, new

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        return self._new(span.of(text), evidence)


FOUND = state(
    TEXT,
    queries=[query(0, 4), query(10, 16, id="q2")],
    found=[evidence("a", relevance=0.5), evidence("b", id="q1.2"), evidence("c", id="q2.1")],
)


async def test_sentences_with_evidence_are_rewritten() -> None:
    update = await rewrite(FOUND, runtime(rewriter=Rewriting(lambda sentence, _: sentence.upper() + "!")))
    assert update["text"] == "ONE.! Two. THREE.!"
    assert [(edit.old, edit.new, edit.evidence_id) for edit in update["edits"]] == [
        ("One.", "ONE.!", "q1.2"),
        ("Three.", "THREE.!", "q2.1"),
    ]
    assert with_edits(TEXT, update["edits"]) == update["text"]


async def test_the_text_is_rewritten_with_all_evidence() -> None:
    seen: list[str] = []

    def new(sentence: str, passages: Sequence[Evidence]) -> str:
        seen.extend(passage.id for passage in passages)
        return "Another."

    update = await rewrite(FOUND, runtime(rewriter=Rewriting(new, whole=True)))
    assert (update["text"], sorted(seen)) == ("Another.", ["q1.1", "q1.2", "q2.1"])


async def test_unchanged_sentence_is_no_edit() -> None:
    update = await rewrite(FOUND, runtime(rewriter=Rewriting(lambda sentence, _: sentence)))
    assert (update["text"], update["edits"]) == (TEXT, [])


async def test_sentence_that_fails_stays_with_a_warning() -> None:
    def new(sentence: str, passages: Sequence[Evidence]) -> str:
        if sentence == "One.":
            raise OSError("down")
        return "3."

    update = await rewrite(FOUND, runtime(rewriter=Rewriting(new)))
    assert (update["text"], [w.code for w in update["warnings"]]) == ("One. Two. 3.", ["rewrite_failed"])
