"""The public test doubles: what they answer, and that they record what they were asked."""

import textwrap
from typing import Any

import pytest
from makers import ASKED, FACT, TEXT, check, disagrees, evidence, passage, query

import rarr
from rarr.components import Components
from rarr.records import Agreement, Change, Question
from rarr.testing import (
    InMemoryRetriever,
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
    doubles,
    scripted_components,
)
from rarr.tools.text.blocks_and_sentences import Span


async def call_each(components: Components) -> None:
    await components.query_generator.generate(TEXT, None)
    await components.retriever.retrieve(ASKED, 5)
    await components.reranker.score(ASKED, [passage()])
    await components.checker.check(TEXT, None, query(), evidence())
    await components.editor.edit(TEXT, None, query(), check(), evidence())
    await components.verifier.support(TEXT, None, [Span(0, 31)], evidence())


def test_example_of_scripted_components_runs() -> None:
    example = textwrap.dedent((scripted_components.__doc__ or "").split("\n\n")[1])
    exec(example, vars(doubles) | {"Reviser": rarr.Reviser, "Agreement": Agreement})


async def test_scripted_queries_have_the_places_of_their_words() -> None:
    asked = ScriptedQueries([(ASKED, "peaches"), ("Not here?", "plums")])
    assert await asked.generate(TEXT, "Fruit?") == [Question(text=ASKED, start=23, end=30)]
    assert asked.calls == [(TEXT, "Fruit?")]


async def test_retriever_ranks_by_shared_words() -> None:
    source = InMemoryRetriever(["Plums.", "The state of Georgia.", FACT])
    assert [p.text for p in await source.retrieve(ASKED, 5)] == [FACT, "The state of Georgia."]
    assert source.calls == [(ASKED, 5)]


async def test_retriever_finds_the_list_of_the_query() -> None:
    source = InMemoryRetriever({ASKED: [passage()], "Who?": OSError("down")})
    assert await source.retrieve(ASKED, 5) == [passage()]
    assert await source.retrieve("Why?", 5) == []
    with pytest.raises(OSError, match="down"):
        await source.retrieve("Who?", 5)


async def test_reranker_scores_by_the_first_key_in_the_passage() -> None:
    scorer = ScriptedReranker({"California": 0.9, "peaches": 0.4})
    passages = [passage("plums"), passage("peaches"), passage(FACT)]
    assert await scorer.score(ASKED, passages) == [0.0, 0.4, 0.9]
    assert scorer.calls == [(ASKED, tuple(passages))]


@pytest.mark.parametrize(
    ("text", "verdict"), [(TEXT, "disagrees"), (FACT, "agrees"), ("Nobody grows them.", "disagrees")]
)
async def test_corrected_text_no_longer_gets_the_scripted_disagreement(text: str, verdict: str) -> None:
    checker = ScriptedChecker({(ASKED, "California"): disagrees()})
    assert (await checker.check(text, None, query(), evidence())).verdict == verdict
    assert checker.calls == [(text, None, query(), evidence())]


async def test_editor_replaces_the_answer_where_the_query_asks() -> None:
    text = "Georgia is near. Georgia grows peaches."
    editor = ScriptedEditor()
    change = await editor.edit(text, None, query(17, 24), check(), evidence())
    assert change == Change(start=17, end=24, new="California")
    assert editor.calls == [(text, None, query(17, 24), check(), evidence())]


async def test_verifier_measures_shared_words() -> None:
    verifier = ScriptedVerifier()
    spans = [Span(0, 31), Span(31, 32)]
    assert await verifier.support(f"{TEXT}!", None, spans, evidence()) == [0.8, None]
    assert verifier.calls == [(f"{TEXT}!", None, tuple(spans), evidence())]


FAILING = {
    "query_generator": ScriptedQueries,
    "retriever": InMemoryRetriever,
    "reranker": ScriptedReranker,
    "checker": ScriptedChecker,
    "editor": ScriptedEditor,
    "verifier": ScriptedVerifier,
}


@pytest.mark.parametrize("name", FAILING)
async def test_each_double_can_fail_and_records_the_call(name: str) -> None:
    await call_each(scripted_components())  # without scripts they work
    double: Any = FAILING[name]
    failing = double(OSError("down"))
    with pytest.raises(OSError, match="down"):
        await call_each(scripted_components(**{name: failing}))
    assert len(failing.calls) == 1
