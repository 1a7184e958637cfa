"""Sends spans to OpenTelemetry: the run and its nodes, from LangChain's callbacks, and requests to models.

The application's tracer provider is used if it has set one. Otherwise a provider is set that sends spans to
OTEL_EXPORTER_OTLP_ENDPOINT. Other uses of LangChain in the process are traced as well.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from langgraph.config import get_config

from rarr.errors import SetupError
from rarr.tools.concurrency import always_before_end
from rarr.tools.models.run_budget import ModelCall

try:
    from openinference.instrumentation import OITracer, TraceConfig
    from openinference.instrumentation.langchain import LangChainInstrumentor, get_current_span
    from openinference.semconv.trace import OpenInferenceSpanKindValues, SpanAttributes
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
except ImportError:
    raise SetupError('otel needs OpenTelemetry: pip install "rarr[otel]"') from None


def model_spans() -> Callable[[ModelCall], None]:
    """Turns tracing on, and returns the function that sends the span of a finished request.

    It sends none for requests of LangChain models, which LangChain's callbacks report.
    """
    if isinstance(
        trace.get_tracer_provider(), trace.ProxyTracerProvider
    ):  # the application has not set a provider
        trace.set_tracer_provider(_provider())
    instrumentor = LangChainInstrumentor()
    if not instrumentor.is_instrumented_by_opentelemetry:
        instrumentor.instrument()
    # The tracer hides texts if OPENINFERENCE_HIDE_INPUTS or a similar variable says so.
    tracer = OITracer(trace.get_tracer("rarr"), TraceConfig())
    return lambda call: None if call.by_langchain else _span(tracer, call)


def _provider() -> TracerProvider:
    own = Resource.create({"service.name": "rarr"})
    provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    always_before_end(provider.force_flush)  # its own atexit function is not called then
    return provider


def _span(tracer: OITracer, call: ModelCall) -> None:
    """Sends the span of a finished request, as a child of the node that asked."""
    node, ended = get_current_span(), time.time_ns()
    span = tracer.start_span(
        call.model,
        context=trace.set_span_in_context(node) if node else None,
        start_time=ended - int(call.seconds * 1e9),
        attributes=_attributes(call),
    )
    if call.error:
        span.set_status(trace.StatusCode.ERROR, call.error)
    else:
        span.set_status(trace.StatusCode.OK)
    span.end(ended)


def _attributes(call: ModelCall) -> dict[str, Any]:
    prompt, version, digest = call.prompt
    about = {"run_id": _run_id(), "node": call.node, "prompt": prompt, "version": version, "hash": digest}
    return {
        SpanAttributes.OPENINFERENCE_SPAN_KIND: OpenInferenceSpanKindValues.LLM.value,
        SpanAttributes.LLM_MODEL_NAME: call.model,
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: call.tokens.input,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: call.tokens.output,
        SpanAttributes.LLM_TOKEN_COUNT_TOTAL: call.tokens.input + call.tokens.output,
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ: call.tokens.cached,
        SpanAttributes.INPUT_VALUE: json.dumps(call.messages, ensure_ascii=False),
        SpanAttributes.INPUT_MIME_TYPE: "application/json",
        SpanAttributes.OUTPUT_VALUE: "\n".join(call.texts),
        SpanAttributes.METADATA: json.dumps(about),
    }


def _run_id() -> str:
    try:
        return str(get_config().get("metadata", {}).get("run_id", ""))
    except RuntimeError:  # outside of a run
        return ""
