"""Spans as they arrive at a collector; each run in a process of its own, as instruments are for a process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.collectors import Span, collecting, runs_of, spans_of
from agent.mills import answer, text_of
from rarr.testing import ScriptedServer

pytestmark = pytest.mark.loopback

HERE = Path(__file__).parent.parent
NODES = {"generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate"}
KEY = "sk-nobody-may-see-this"
PROGRAM = """
import sys
from agent.mills import settings_for
from rarr import Reviser
url, text, key, model = sys.argv[1:]
with Reviser(settings_for(url, api_key=key, model=model)) as reviser:
    revision = reviser.revise(text, run_id="r1")
print(revision.usage.model_calls, revision.usage.input_tokens, revision.usage.output_tokens)
"""


def revised(server: ScriptedServer, model: str = "vllm:mills", **environment: str) -> list[int]:
    """What the run used, in a process with these variables."""
    call = [sys.executable, "-c", PROGRAM, server.url, text_of(2, wrong=1), KEY, model]
    variables = os.environ | {"PYTHONPATH": f"{HERE.parent}:{HERE}"} | environment
    done = subprocess.run(call, env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [int(number) for number in done.stdout.split()]


def kind(span: Span) -> Any:
    return span.attributes["openinference.span.kind"]


@pytest.mark.slow
def test_spans_have_nodes_tokens_and_the_run() -> None:
    spans: list[Span] = []
    with ScriptedServer(answer) as server, collecting(spans_of, spans) as url:
        used = revised(server, RARR_OTEL="true", OTEL_EXPORTER_OTLP_ENDPOINT=url)
    by_id = {span.own: span for span in spans}
    [root] = [span for span in spans if span.parent not in by_id]
    assert (root.name, json.loads(root.attributes["metadata"])["run_id"]) == ("rarr", "r1")
    assert {span.name for span in spans if by_id.get(span.parent) == root} >= NODES
    asked = [span for span in spans if kind(span) == "LLM"]
    counts = [[s.attributes[f"llm.token_count.{of}"] for s in asked] for of in ("prompt", "completion")]
    assert [len(asked), *map(sum, counts)] == used
    for span in asked:
        about = json.loads(span.attributes["metadata"])
        assert (span.name, about["run_id"]) == ("vllm:mills", "r1")
        assert by_id[span.parent].name == about["langgraph_node"]
        assert about["prompt"]
        assert 0 < span.seconds <= by_id[span.parent].seconds
        assert span.attributes["input.value"] and span.attributes["output.value"]
    assert KEY not in repr(spans)


@pytest.mark.slow
def test_requests_through_langchain_have_one_span_each() -> None:
    spans: list[Span] = []
    with ScriptedServer(answer) as server, collecting(spans_of, spans) as url:
        used = revised(server, "openai:mills", RARR_OTEL="true", OTEL_EXPORTER_OTLP_ENDPOINT=url)
    asked = [span for span in spans if kind(span) == "LLM"]
    counts = [[s.attributes[f"llm.token_count.{of}"] for s in asked] for of in ("prompt", "completion")]
    assert [len(asked), *map(sum, counts)] == used
    assert {span.name for span in asked} == {"openai:mills"}
    assert KEY not in repr(spans)


@pytest.mark.slow
def test_texts_are_hidden_where_the_environment_says_so() -> None:
    spans: list[Span] = []
    hidden = {"OPENINFERENCE_HIDE_INPUTS": "true", "OPENINFERENCE_HIDE_OUTPUTS": "true"}
    with ScriptedServer(answer) as server, collecting(spans_of, spans) as url:
        revised(server, RARR_OTEL="true", OTEL_EXPORTER_OTLP_ENDPOINT=url, **hidden)
    assert {span.name for span in spans} >= NODES
    assert "Mill was built" not in repr(spans)


@pytest.mark.slow
def test_no_span_is_sent_unless_asked_for() -> None:
    spans: list[Span] = []
    with ScriptedServer(answer) as server, collecting(spans_of, spans) as url:
        revised(server, OTEL_EXPORTER_OTLP_ENDPOINT=url)
    assert spans == []


@pytest.mark.slow
def test_langsmith_variables_alone_send_the_nodes_to_langsmith() -> None:
    runs: list[dict[str, Any]] = []
    with ScriptedServer(answer) as server, collecting(runs_of, runs) as url:
        revised(server, LANGSMITH_TRACING="true", LANGSMITH_ENDPOINT=url, LANGSMITH_API_KEY="x")
    assert {"rarr"} | NODES <= {run["name"] for run in runs}
    assert {run["extra"]["metadata"]["run_id"] for run in runs} == {"r1"}
    assert KEY not in json.dumps(runs)


@pytest.mark.slow
def test_extra_that_is_missing_is_named() -> None:
    program = (
        "import sys; sys.modules['openinference'] = None\n"
        "from rarr import Reviser, Settings, SetupError\n"
        "try: Reviser(Settings(otel=True, search='corpus', corpus=sys.argv[1]))\n"
        "except SetupError as error: print(error)"
    )
    call = [sys.executable, "-c", program, "README.md"]
    done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=HERE.parent)
    assert done.stdout == 'otel needs OpenTelemetry: pip install "rarr[otel]"\n'


@pytest.mark.slow
def test_spans_are_sent_before_an_interrupted_command_ends() -> None:
    spans: list[Span] = []
    interrupted = (
        PROGRAM + "\nimport os\nfrom rarr.tools.concurrency import call_all" + "\ncall_all()\nos._exit(0)\n"
    )
    with ScriptedServer(answer) as server, collecting(spans_of, spans) as url:
        call = [sys.executable, "-c", interrupted, server.url, text_of(2, wrong=1), KEY, "vllm:mills"]
        own = {"PYTHONPATH": f"{HERE.parent}:{HERE}", "RARR_OTEL": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": url}
        subprocess.run(call, env=os.environ | own, check=True)
    assert {span.name for span in spans} >= NODES
