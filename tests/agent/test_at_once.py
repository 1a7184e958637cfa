"""What does not depend on each other is asked at once, and the order of the answers makes no difference."""

import asyncio
import random

import pytest
from makers import disagrees

from agent.mills import Documents, WatchedModel, answer, revised, settings_for, text_of
from rarr import Reviser, Revision, Settings
from rarr.records import Change
from rarr.testing import (
    InMemoryRetriever,
    ScriptedChecker,
    ScriptedEditor,
    ScriptedModel,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedServer,
    ScriptedVerifier,
    scripted_components,
)

TEXT, RIGHT = text_of(8, wrong=5), text_of(8, wrong=0)


@pytest.mark.slow
async def test_same_question_of_a_run_is_not_asked_twice() -> None:
    model = WatchedModel()
    await Reviser(Settings(model=model, search=Documents())).arevise(TEXT)
    asked = model.asked("check_agreement") + model.asked("edit")
    assert len(asked) == len(set(asked))


def outcome(revision: Revision) -> object:
    return revision.model_dump(exclude={"run_id", "usage"})


@pytest.mark.slow
async def test_order_of_the_answers_makes_no_difference() -> None:
    outcomes = []
    for seed in range(50):
        dice = random.Random(seed)
        model = WatchedModel([dice.uniform(0, 0.002) for _ in range(40)])
        reviser = Reviser(Settings(model=model, search=Documents()))
        outcomes.append(outcome(await reviser.arevise(text_of(4, wrong=3))))
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.slow
async def test_limit_of_requests_at_once_makes_no_difference() -> None:
    every = outcome(await Reviser(Settings(model=WatchedModel(), search=Documents())).arevise(TEXT))
    model = WatchedModel([0.0])
    settings = Settings(model=model, search=Documents(), concurrency=1)
    assert outcome(await Reviser(settings).arevise(TEXT)) == every
    assert max(model.most.values()) == 1


@pytest.mark.slow
@pytest.mark.loopback
async def test_requests_at_once_are_limited_over_all_texts() -> None:
    with ScriptedServer(answer, latency=0.03) as server:
        async with Reviser(settings_for(server, concurrency=4)) as reviser:
            texts = [text_of(3, wrong=n % 3) for n in range(20)]
            revisions = await asyncio.gather(*map(reviser.arevise, texts))
        assert server.in_flight_most == 4
    assert all(revision.text == text_of(3, wrong=0) for revision in revisions)


@pytest.mark.slow
@pytest.mark.loopback
async def test_texts_at_once_have_usages_of_their_own() -> None:
    with ScriptedServer(answer, latency=0.01) as server:
        async with Reviser(settings_for(server)) as reviser:
            revisions = await asyncio.gather(*(reviser.arevise(text_of(n, wrong=0)) for n in (1, 3, 6)))
        assert sum(revision.usage.model_calls for revision in revisions) == len(server.requests)
    assert [revision.usage.model_calls for revision in revisions] == [2, 2, 2]


WHO, WHEN = "Who built Ude Mill?", "When was Ude Mill built?"
ONE = "Ada Kern built Ude Mill in 1804. It is old."


def one_sentence(editor: ScriptedEditor, **script: object) -> Reviser:
    """Two disagreements about one sentence, of which that about the year has the more relevant evidence."""
    return Reviser(
        components=scripted_components(
            query_generator=ScriptedQueries([(WHO, "Ada Kern"), (WHEN, "1804")]),
            retriever=InMemoryRetriever({WHO: ["Ida Moe built it."], WHEN: ["It was built in 1801."]}),
            reranker=ScriptedReranker({"1801": 0.9, "Moe": 0.5}),
            checker=ScriptedChecker(
                {(WHO, ""): disagrees("Ada Kern", "Ida Moe"), (WHEN, ""): disagrees("1804", "1801")}
            ),
            editor=editor,
            verifier=ScriptedVerifier(lambda sentence, _: float(("Ida" in sentence) + ("1801" in sentence))),
        )
    )


def test_second_edit_of_a_sentence_is_made_on_the_edited_sentence() -> None:
    editor = ScriptedEditor()
    revision = one_sentence(editor).revise(ONE)
    assert revision.text == "Ida Moe built Ude Mill in 1801. It is old."
    assert [call[0] for call in editor.calls] == [ONE, ONE.replace("Ada Kern", "Ida Moe")]
    assert [(edit.old, edit.accepted) for edit in revision.edits] == [("Ada Kern", True), ("1804", True)]


@pytest.mark.slow
def test_many_edits_of_one_sentence_are_all_made() -> None:
    """Each has its own round through the graph, whose number of steps is not limited below that."""
    words = [f"w{n:02}" for n in range(40)]  # each becomes another word: "w07" "v07"
    asked = [(f"What is {word}?", word) for word in words]
    components = scripted_components(
        query_generator=ScriptedQueries(asked),
        retriever=InMemoryRetriever({question: [f"It is v{word[1:]}."] for question, word in asked}),
        checker=ScriptedChecker(
            {(question, ""): disagrees(word, f"v{word[1:]}") for question, word in asked}
        ),
        editor=ScriptedEditor(
            lambda text, query, check, _: Change(start=query.start, end=query.end, new=check.evidence_answer)
        ),
        verifier=ScriptedVerifier(lambda sentence, evidence: float(evidence.text[6:-1] in sentence)),
    )
    text = f"It has {' '.join(words)}."
    assert (
        Reviser(components=components).revise(text).text == f"It has {' '.join('v' + w[1:] for w in words)}."
    )


@pytest.mark.slow
def test_one_model_object_may_be_used_by_every_node() -> None:
    model = ScriptedModel(answer)
    settings = Settings(
        models={"generate_queries": model, "check_agreement": model, "edit": model}, search=Documents()
    )
    assert revised(settings, TEXT).text == RIGHT
    assert model.closed
