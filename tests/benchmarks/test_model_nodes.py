"""What each node did with a planted error is counted from the revision alone."""

from pathlib import Path

from benchmarks.answers import Mark
from benchmarks.model_nodes import NodeCounts
from rarr import Reviser, Revision, Settings
from rarr.records import Query

TEXT = "Aldmoor Mill was built in 1801. It was closed in 1950."
MARKS = (
    Mark("Aldmoor Mill was built in 1801.", "1801", "1807", "date"),
    Mark("It was closed in 1950.", None, None, "date"),
)


def test_error_that_is_read_and_mended_counts_at_each_node(tmp_path: Path) -> None:
    (tmp_path / "mill.txt").write_text("Aldmoor Mill was built in 1807. It was closed in 1950.\n")
    nodes = NodeCounts()
    with Reviser(Settings(model="rules", corpus=tmp_path, trace=False)) as reviser:
        nodes.add(MARKS, reviser.revise(TEXT))
    kept = {name: nodes.cases[name] for name in ("asked", "differs", "accepted", "undisputed")}
    assert kept == {"asked": [True], "differs": [True], "accepted": [True], "undisputed": [True]}
    assert any(nodes.cases["read"]) and all(nodes.cases["silent"]) and not any(nodes.cases["leaking"])


def test_pronouns_and_wrong_words_in_questions_are_counted() -> None:
    nodes = NodeCounts()
    nodes.add(
        MARKS[:1],
        Revision(
            run_id="r1",
            original=TEXT,
            text=TEXT,
            changed=False,
            queries=[
                Query(id="q1", text="When was it built?", start=0, end=30),
                Query(id="q2", text="What was built in 1801?", start=0, end=30),
            ],
        ),
    )
    assert (nodes.cases["asked"], nodes.cases["alone"]) == ([True], [False, True])
    assert (nodes.cases["leaking"], nodes.cases["read"]) == ([False, True], [])
