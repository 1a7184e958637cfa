"""The graph that LangGraph's own server loads, as `langgraph.json` names it."""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.runtime import _ExecutionRuntime

from rarr.testing import RuleModel, ScriptedServer

TEXT = "The Hoover Dam is 212 metres high. It was opened in 1936."
NODES = ["generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate"]


def loaded(context: dict[str, str] | None = None) -> Any:
    """The graph of a run with this context, by the path of its file, as `langgraph dev` loads it."""
    path, name = json.loads(Path("langgraph.json").read_text())["graphs"]["rarr"].split(":")
    spec = spec_from_file_location("studio", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["studio"] = module
    spec.loader.exec_module(module)
    store: Any = None
    runtime = _ExecutionRuntime(access_context="threads.create_run", user=None, store=store, context=context)
    return getattr(module, name)(runtime)


def test_graph_shows_the_seven_nodes_and_what_is_set_there() -> None:
    graph = loaded()
    shown = {node["id"] for node in graph.get_graph().to_json()["nodes"]}
    assert shown == {"__start__", *NODES, "__end__"}
    fields = graph.get_context_jsonschema()
    assert set(fields["properties"]) == {"corpus", "model", "preset", "prompts"}
    assert fields["additionalProperties"] is False
    assert set(graph.get_input_jsonschema()["properties"]) == {"text", "context"}


@pytest.mark.loopback
async def test_corpus_and_model_are_set_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(RuleModel()) as server:
        monkeypatch.setenv("RARR_BASE_URL", server.url)
        context = {"corpus": "examples/corpus", "model": "vllm:rules"}
        state = await loaded(context).ainvoke({"text": TEXT}, context=context)
        assert server.requests
    assert state["original"] == TEXT and "221" in state["text"]
    assert state["report"].sentences[0].status == "supported"
