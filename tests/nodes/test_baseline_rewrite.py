"""A baseline rewrites the text by all its evidence, as one edit."""

from collections.abc import Sequence

from makers import evidence, query, runtime, state

from rarr.nodes.baseline_rewrite import rewrite
from rarr.records import Evidence, with_edits

TEXT = "One. Two. Three."
FOUND = state(
    TEXT,
    queries=[query(0, 4), query(10, 16, id="q2")],
    found=[evidence("a", relevance=0.5), evidence("b", id="q1.2"), evidence("c", id="q2.1")],
)


class Rewriting:
    """Rewrites a text as it is told, or fails."""

    def __init__(self, new: str | Exception) -> None:
        self.new, self.seen = new, list[str]()

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        self.seen = [passage.id for passage in evidence]
        if isinstance(self.new, Exception):
            raise self.new
        return self.new


async def test_the_text_is_rewritten_with_all_evidence_the_most_relevant_first() -> None:
    rewriter = Rewriting("Another.")
    update = await rewrite(FOUND, runtime(rewriter=rewriter))
    assert (update["text"], rewriter.seen) == ("Another.", ["q1.2", "q2.1", "q1.1"])
    assert with_edits(TEXT, update["edits"]) == update["text"]


async def test_unchanged_text_and_text_without_evidence_have_no_edit() -> None:
    assert await rewrite(FOUND, runtime(rewriter=Rewriting(TEXT))) == {}
    assert await rewrite(state(TEXT), runtime(rewriter=Rewriting("Another."))) == {}


async def test_text_whose_rewriting_fails_stays_with_a_warning() -> None:
    update = await rewrite(FOUND, runtime(rewriter=Rewriting(OSError("down"))))
    assert [notice.code for notice in update["warnings"]] == ["rewrite_failed"]
    assert "text" not in update
