"""Servers on this machine that take spans, as OpenTelemetry sends them and as LangSmith does."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from local_server import LocalServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

LANGSMITH = {
    "use_multipart_endpoint": False,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
    "size_limit": 100,
    "size_limit_bytes": 20_000_000,
}


class Span(NamedTuple):
    """A span of OpenTelemetry. `own` and `parent` are ids."""

    name: str
    own: bytes
    parent: bytes
    attributes: Mapping[str, Any]
    seconds: float


def spans_of(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                values = {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in span.attributes}
                seconds = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9
                yield Span(span.name, span.span_id, span.parent_span_id, values, seconds)


def runs_of(body: bytes) -> Iterator[dict[str, Any]]:
    """What LangSmith is told of runs that begin."""
    yield from json.loads(body).get("post", [])


@contextmanager
def collecting(read: Callable[[bytes], Iterator[Any]], collected: list[Any]) -> Iterator[str]:
    """The address of a server that puts what it is sent into `collected`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({"batch_ingest_config": LANGSMITH})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            collected.extend(read(body))
            self._answer({})

        def _answer(self, fields: dict[str, Any]) -> None:
            self.send_response(200)
            body = json.dumps(fields).encode() if fields else b""
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
