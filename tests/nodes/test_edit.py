"""An edit is made only if evidence disagrees and support rises."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from makers import TEXT, check, edit as edited, evidence, query, runtime, state

from nodes.disputes import disputed, only_edit
from rarr.nodes.edit import edit
from rarr.records import Agreement, Change, Check, Evidence, Query, Verdict
from rarr.settings import Settings
from rarr.state import State
from rarr.testing import ScriptedChecker, ScriptedEditor, ScriptedVerifier
from rarr.tools.text.blocks_and_sentences import Span


async def test_disagreement_is_edited() -> None:
    update = await edit(disputed(), runtime())
    assert update["text"] == "California grows the most peaches."
    [done] = update["edits"]
    assert (done.id, done.start, done.end, done.old, done.new) == ("e1", 0, 7, "Georgia", "California")
    assert (done.query_id, done.evidence_id, done.accepted) == ("q1", "q1.1", True)


@pytest.mark.parametrize("verdict", ["agrees", "irrelevant", "unknown"])
async def test_only_disagreements_are_edited(verdict: str) -> None:
    editor = ScriptedEditor()
    update = await edit(disputed(checks=[check(verdict)]), runtime(editor=editor))  # type: ignore[arg-type]
    assert (update["text"], update["edits"], editor.calls) == (TEXT, [], [])


async def test_stale_disagreement_is_no_reason() -> None:
    update = await edit(disputed(checks=[check(stale=True)]), runtime())
    assert update["edits"] == []


class Leaning:
    """A verifier for which the second sentence is supported as long as the first is about Georgia."""

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        georgia = "Georgia" in text
        return [(0.9 if georgia else 0.25) if "soil" in s.of(text) else float(not georgia) for s in spans]


async def test_edit_that_costs_a_later_sentence_its_support_is_refused() -> None:
    refused = await only_edit(disputed(f"{TEXT} It has the soil for them."), verifier=Leaning())
    assert not refused.accepted
    assert refused.reason == (
        "a sentence loses its support: 0.90 before, 0.25 after: 'It has the soil for them.'"
    )


FOLLOWS = query().model_copy(update={"follows": "e0"})


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("agrees", ""),
        ("unknown", "asked again about the edited text, the evidence does not confirm it: unknown"),
    ],
)
async def test_dependent_edit_must_be_confirmed(verdict: Verdict, reason: str) -> None:
    checker = ScriptedChecker(lambda *_: Agreement(verdict=verdict))
    unsupported = ScriptedVerifier(lambda *_: 0.0)  # the evidence need not say what follows from it
    done = await only_edit(disputed(queries=[FOLLOWS]), checker=checker, verifier=unsupported)
    assert (done.accepted, done.reason) == (not reason, reason)


async def test_dependent_edit_must_not_cost_a_supported_sentence_its_support() -> None:
    checker = ScriptedChecker(lambda *_: Agreement(verdict="agrees"))
    verifier = ScriptedVerifier(lambda sentence, _: 0.9 if "Georgia" in sentence else 0.1)
    done = await only_edit(disputed(queries=[FOLLOWS]), checker=checker, verifier=verifier)
    assert done.reason.startswith("a sentence loses its support: 0.90 before, 0.10 after")


async def test_dependent_edit_is_not_confirmed_without_verification() -> None:
    checker = ScriptedChecker(lambda *_: Agreement(verdict="unknown"))
    done = await only_edit(disputed(queries=[FOLLOWS]), Settings(verify=False), checker=checker)
    assert (done.accepted, checker.calls) == (True, [])


async def test_editor_that_declines_leaves_the_text() -> None:
    update = await edit(disputed(), runtime(editor=ScriptedEditor(lambda *_: None)))
    assert (update["text"], update["edits"]) == (TEXT, [])


async def test_editor_that_fails_is_a_warning() -> None:
    update = await edit(disputed(), runtime(editor=ScriptedEditor(TimeoutError("no answer"))))
    [warning] = update["warnings"]
    assert (warning.code, warning.node, warning.query_id) == ("edit_failed", "edit", "q1")
    assert (update["text"], update["edits"]) == (TEXT, [])


async def test_verifier_that_fails_leaves_the_text() -> None:
    update = await edit(disputed(), runtime(verifier=ScriptedVerifier(TimeoutError("no answer"))))
    assert (update["text"], update["edits"][0].accepted) == (TEXT, False)
    assert update["edits"][0].reason == "whether support rises could not be judged"


@pytest.mark.parametrize(
    ("verifier", "reason"),
    [
        (ScriptedVerifier(lambda sentence, evidence: 0.7), "support does not rise: 0.70 before, 0.70 after"),
        (
            ScriptedVerifier({("Georgia", ""): 0.9, ("California", ""): 0.1}),
            "does not rise: 0.90 before, 0.10",
        ),
        (ScriptedVerifier({}), "could not be judged"),
        (ScriptedVerifier({("Georgia", ""): 0.1}), "could not be judged"),
    ],
)
async def test_edit_that_raises_no_support_is_rejected(verifier: ScriptedVerifier, reason: str) -> None:
    done = await only_edit(disputed(), verifier=verifier)
    assert not done.accepted
    assert reason in done.reason


async def test_verifier_judges_the_sentence_before_and_after() -> None:
    verifier = ScriptedVerifier()
    await edit(disputed("First. Georgia grows the most peaches. Last."), runtime(verifier=verifier))
    seen = [spans[0].of(text) for text, _, spans, _ in verifier.calls]
    assert seen == ["Georgia grows the most peaches.", "California grows the most peaches."]


TWO = "Georgia grew 40 tons of peaches."


def two_queries(text: str = TWO) -> State:
    """Two queries about one text, of which the second has the more relevant evidence."""
    amount = text.index("40")
    return state(
        text,
        queries=[query(0, 7), query(amount, amount + 2, id="q2", text="How many tons?")],
        found=[
            evidence("California grew 70 tons of peaches.", relevance=0.5),
            evidence("70 tons of peaches.", id="q2.1", relevance=0.8),
        ],
        checks=[check(), check(evidence_id="q2.1", mine="40", its="70")],
    )


async def test_edit_makes_the_checks_on_its_sentence_stale_and_waits_for_new_ones() -> None:
    update = await edit(two_queries(), runtime())
    assert update["text"] == "Georgia grew 70 tons of peaches."
    assert [(c.query_id, c.stale) for c in update["checks"]] == [("q1", True), ("q2", True), ("q2", False)]


async def test_edits_of_two_sentences_are_made_at_once() -> None:
    update = await edit(two_queries("Georgia has them. It grew 40 tons."), runtime())
    assert update["text"] == "California has them. It grew 70 tons."
    assert [(e.id, e.query_id, e.start) for e in update["edits"]] == [("e1", "q2", 26), ("e2", "q1", 0)]


async def test_checks_on_other_sentences_stay_fresh() -> None:
    before = two_queries("Georgia has them. It grew 40 tons.")
    before["checks"][0] = check("agrees")
    update = await edit(before, runtime())
    assert [(c.query_id, c.stale) for c in update["checks"]] == [("q1", False), ("q2", True), ("q2", False)]


async def test_rejected_edit_makes_nothing_stale() -> None:
    update = await edit(disputed(), runtime(Settings(max_edit_chars=0)))
    assert [c.stale for c in update["checks"]] == [False]


@pytest.mark.parametrize("accepted", [True, False])
async def test_query_causes_at_most_one_edit(accepted: bool) -> None:
    before = [edited(0, 7, "Georgia", accepted=accepted)]
    assert (await edit(disputed(edits=before, tried=["q1"]), runtime()))["edits"] == before


async def test_one_failure_does_not_stop_the_next_edit() -> None:
    def fails_once(text: str, query: Query, check: Check, evidence: Evidence) -> Change | None:
        if query.id == "q2":
            raise TimeoutError
        return Change(start=0, end=7, new="California")

    update = await edit(two_queries(), runtime(editor=ScriptedEditor(fails_once)))
    assert update["text"] == "California grew 40 tons of peaches."
    assert [w.query_id for w in update["warnings"]] == ["q2"]


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n"])
async def test_text_around_the_change_stays_the_same(end_of_line: str) -> None:
    around: Callable[[str], str] = f"* One –{end_of_line}* {{}} grows.{end_of_line}{end_of_line}\t☃".format
    update = await edit(disputed(around("Georgia")), runtime())
    assert update["text"] == around("California")


@pytest.mark.parametrize(
    ("confidence", "state"), [(None, "accepted"), (0.95, "accepted"), (0.9, "accepted"), (0.6, "suggested")]
)
async def test_edit_of_a_kind_that_is_often_wrong_is_suggested(confidence: float | None, state: str) -> None:
    unsure = check().model_copy(update={"confidence": confidence})
    done = await only_edit(disputed(checks=[unsure]))
    assert (done.state, done.confidence, done.new) == (state, confidence, "California")
    assert ("60% were right" in done.reason) == (state == "suggested")


async def test_suggested_edit_leaves_checks_and_is_tried_once() -> None:
    unsure = check().model_copy(update={"confidence": 0.6})
    update = await edit(disputed(checks=[unsure]), runtime())
    assert (update["tried"], update["checks"]) == (["q1"], [unsure])


async def test_few_changes_are_tried_at_once_without_a_language_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rarr.nodes.edit._EMBEDDED_AT_ONCE", 1)
    text = " ".join([TEXT] * 5)
    starts = range(0, len(text), len(TEXT) + 1)
    asked = [query(start, start + 7, id=f"q{number}") for number, start in enumerate(starts, 1)]
    found = [evidence(id=f"{about.id}.1") for about in asked]
    checks = [check(evidence_id=passage.id) for passage in found]
    editor = CountingEditor()
    update = await edit(state(text, queries=asked, found=found, checks=checks), runtime(editor=editor))
    assert (editor.most, update["text"].count("California")) == (1, 5)


class CountingEditor(ScriptedEditor):
    """Counts the calls under way."""

    under_way = most = 0

    async def edit(self, text: str, context: str | None, query: Query, *about: Any) -> Change | None:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        return Change(start=query.start, end=query.end, new="California")
