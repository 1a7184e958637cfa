"""The loop from end to end: later rounds, and the failures that RARR's authors found in it.

Gao et al. 2023, section 6: over-edits where evidence does not disagree, misleading evidence, and what a
correction leaves behind in later sentences.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from component_doubles import ScriptedChecker, ScriptedQueries, scripted_components

from rarr import Reviser, Revision, Settings
from rarr.components import Lacking
from rarr.records import Agreement, Question
from rarr.testing import InMemoryRetriever

BRIDGE = "The Orrel Bridge opened in 1932. It closed in 1972, after 40 years of service."
OPENED = "# Orrel Bridge\n\nThe Orrel Bridge opened in 1936. It is made of steel."


def revised(folder: Path, text: str, *documents: str, **settings: Any) -> Revision:
    for number, document in enumerate(documents):
        (folder / f"{number}.md").write_text(document)
    with Reviser(Settings(corpus=folder, home=folder / "home", **settings)) as reviser:
        return reviser.revise(text)


def statuses(revision: Revision) -> list[str]:
    return [sentence.status for sentence in revision.report.sentences]


def test_a_correction_leaves_what_was_computed_from_the_old_value_open(tmp_path: Path) -> None:
    revision = revised(tmp_path, BRIDGE, OPENED)
    assert revision.text == BRIDGE.replace("1932", "1936")
    assert statuses(revision) == ["supported", "unconfirmed"]


FOUND_LATER = {"Who built it?": [], "Which firm built the bridge?": ["Brandl & Sons built the bridge."]}


def in_rounds(rounds: int, **changed: Any) -> tuple[Revision, InMemoryRetriever]:
    retriever = InMemoryRetriever(FOUND_LATER)
    parts: dict[str, Any] = {
        "settings": Settings(rounds=rounds),
        "query_generator": ScriptedQueries(
            [("Who built it?", "Brandl")], later=[("Which firm built the bridge?", "Brandl")]
        ),
        "retriever": retriever,
        "checker": ScriptedChecker(lambda text, query, evidence: Agreement(verdict="agrees")),
    }
    components = scripted_components(**(parts | changed))
    with Reviser(components=components) as reviser:
        return reviser.revise("Brandl & Sons built the bridge."), retriever


def test_a_sentence_without_support_is_asked_about_in_another_round() -> None:
    revision, _ = in_rounds(2)
    assert [(query.id, query.round, query.text) for query in revision.queries] == [
        ("q1", 1, "Who built it?"),
        ("q2", 2, "Which firm built the bridge?"),
    ]
    assert statuses(revision) == ["supported"]


class NewQuestions(ScriptedQueries):
    """One that is never at a loss."""

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        return [Question(text=f"And question {len(lacking.asked)}?", start=0, end=6)]


def test_rounds_end_when_one_did_not_help() -> None:
    asked = NewQuestions([("Who?", "Brandl")])
    revision, _ = in_rounds(9, query_generator=asked, retriever=InMemoryRetriever())
    assert [query.round for query in revision.queries] == [1, 2]
    assert statuses(revision) == ["no_evidence"]
