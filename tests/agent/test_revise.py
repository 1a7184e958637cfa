"""The public calls: what they refuse, where they may be called, and that texts do not mix."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from component_doubles import ScriptedChecker, ScriptedQueries, scripted_components
from makers import ASKED, FACT, TEXT, disagrees

from rarr.agent.graph import build_graph
from rarr.agent.revise import Reviser
from rarr.errors import InputError
from rarr.records import Revision
from rarr.testing import InMemoryRetriever


@pytest.fixture(scope="module")
def reviser() -> Reviser:
    return Reviser(
        components=scripted_components(
            query_generator=ScriptedQueries([(ASKED, "Georgia")]),
            retriever=InMemoryRetriever([FACT]),
            checker=ScriptedChecker({(ASKED, ""): disagrees()}),
        )
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"bytes", "text is a bytes, not a str"),
        (None, "text is a NoneType, not a str"),
        ("", "text is empty"),
        (" \n\t", "text is empty"),
    ],
)
def test_texts_that_cannot_be_revised(reviser: Reviser, text: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        reviser.revise(text)
    assert "\n" not in str(raised.value)


async def test_sync_call_inside_a_running_loop(reviser: Reviser) -> None:
    assert reviser.revise(TEXT).text == FACT


def comparable(revision: Revision) -> Revision:
    return revision.model_copy(update={"run_id": "", "usage": None})


@pytest.mark.slow
async def test_texts_revised_at_once_come_out_as_if_revised_in_turn(reviser: Reviser) -> None:
    texts = [f"{TEXT} Line {n} stays." if n % 3 else f"Nothing about {n}." for n in range(30)]
    together = await asyncio.gather(*map(reviser.arevise, texts))
    alone = [await reviser.arevise(text) for text in texts]
    assert list(map(comparable, together)) == list(map(comparable, alone))
    assert len({revision.run_id for revision in together}) == len(texts)


NODES = {name for name in build_graph().nodes if not name.startswith("__")}


def test_usage_is_counted_by_node_and_each_step_is_told() -> None:
    steps: list[str] = []
    components = scripted_components(
        query_generator=ScriptedQueries([(ASKED, "Georgia"), ("What?", "peaches")]),
        retriever=InMemoryRetriever([FACT]),
        checker=ScriptedChecker({(ASKED, ""): disagrees()}),
    )
    usage = Reviser(components=components, on_step=steps.append).revise(TEXT).usage
    calls = {node: spent.calls for node, spent in usage.by_node.items()}
    assert calls == Counter(NODES) | Counter(retrieve=2) == Counter(steps)
    assert all(0 <= spent.seconds <= usage.seconds * 2 for spent in usage.by_node.values())
    assert usage.seconds > 0
