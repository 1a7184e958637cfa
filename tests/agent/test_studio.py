"""The graph that LangGraph's own server loads, as `langgraph.json` names it."""

import json
import os
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langgraph_sdk.runtime import _ExecutionRuntime
from local_server import server_process

from rarr.errors import SettingsError
from rarr.testing import RuleModel, ScriptedServer

ROOT = Path(__file__).parents[2]
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
    with pytest.raises(SettingsError, match="'modle'"):
        loaded({"modle": "vllm:rules"})


@pytest.mark.loopback
async def test_corpus_and_model_are_set_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(RuleModel()) as server:
        monkeypatch.setenv("RARR_BASE_URL", server.url)
        context = {"corpus": "examples/corpus", "model": "vllm:rules"}
        state = await loaded(context).ainvoke({"text": TEXT}, context=context)
        assert server.requests
    assert state["original"] == TEXT and "221" in state["text"]
    assert state["report"].sentences[0].status == "supported"


@pytest.mark.slow
@pytest.mark.loopback
@pytest.mark.skipif(find_spec("langgraph_api") is None, reason="needs LangGraph's server: make extras")
def test_server_of_langgraph_runs_the_graph_and_shows_what_is_wrong(tmp_path: Path) -> None:
    for name in ("rarr", "langgraph.json"):
        (tmp_path / name).symlink_to(ROOT / name)  # the server writes into its folder
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    context = {"corpus": str(ROOT / "examples/corpus"), "model": "vllm:rules"}
    run: dict[str, Any] = {"assistant_id": "rarr", "input": {"text": TEXT}, "context": context}
    with ScriptedServer(RuleModel()) as model:
        environment = os.environ | {"RARR_BASE_URL": model.url, "PYTHONPATH": str(ROOT)}
        with (
            server_process(command, "/ok", env=environment, cwd=tmp_path) as root,
            httpx2.Client(base_url=root, timeout=60) as client,
        ):
            [assistant] = client.post("/assistants/search", json={}).json()
            drawn = client.get(f"/assistants/{assistant['assistant_id']}/graph").json()
            done, asked = client.post("/runs/wait", json=run).json(), len(model.requests)
            wrong = ({"modle": "a"}, {"preset": "papr"}, {"model": "openai:gpt-5-mini"})
            failed = [client.post("/runs/wait", json=run | {"context": it}).json() for it in wrong]
            assert len(model.requests) == asked > 0
    assert {node["id"] for node in drawn["nodes"]} == {"__start__", *NODES, "__end__"}
    assert (done["original"], "221" in done["text"]) == (TEXT, True)
    unknown, invalid, keyless = (it["__error__"]["message"] for it in failed)
    assert unknown == "unknown setting 'modle' (did you mean 'model'?): see the guide to settings"
    assert invalid.startswith("setting 'preset' is 'papr': ") and "set OPENAI_API_KEY" in keyless
