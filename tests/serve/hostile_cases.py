"""What hostile callers send, byte by byte, and what each of them gets: a status, and part of a message."""

import json
from typing import Any, NamedTuple

from serve.serving import ALICE, BOB

TOKEN = {"Authorization": f"Bearer {ALICE}"}
JSON = {"Content-Type": "application/json"}


class Case(NamedTuple):
    """A request, and its answer. `status` 0: the connection is closed without an answer."""

    name: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int
    says: str

    def sent(self) -> bytes:
        """The bytes of the request."""
        headers = {"Host": "127.0.0.1", **self.headers}
        if self.body and not {"Content-Length", "Transfer-Encoding"} & set(headers):
            headers["Content-Length"] = str(len(self.body))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + self.body


def get(name: str, path: str, status: int, says: str, **headers: str) -> Case:
    return Case(name, "GET", path, {**TOKEN, **headers}, b"", status, says)


def unknown(name: str, **headers: str) -> Case:
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return Case(name, "GET", "/v1/models", sent, b"", 401, "send a token of this server")


def post(name: str, path: str, body: Any, status: int, says: str, **headers: str) -> Case:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {**TOKEN, **JSON, **{key.replace("_", "-"): value for key, value in headers.items()}}
    return Case(name, "POST", path, sent, data, status, says)


def revise(name: str, body: Any, says: str, **headers: str) -> Case:
    return post(name, "/v1/revise", body, 400, says, **headers)


def chat(name: str, rarr: Any, says: str) -> Case:
    return post(name, "/v1/chat/completions", {"model": "x", "messages": [], "rarr": rarr}, 400, says)


TOKENS = [
    unknown("no token"),
    unknown("wrong token", Authorization="Bearer nobody-0123456789ab"),
    unknown("beginning of a token", Authorization=f"Bearer {ALICE[:-1]}"),
    unknown("token and more", Authorization=f"Bearer {ALICE}x"),
    unknown("another scheme", Authorization=f"Basic {ALICE}"),
    unknown("both tokens at once", Authorization=f"Bearer {ALICE},{BOB}"),
    unknown("token of bytes", Authorization="Bearer \xff\xfe"),
    unknown("token in a cookie", Cookie=f"token={ALICE}"),
    Case("token in the query", "GET", f"/v1/models?token={ALICE}", {}, b"", 401, "send a token"),
    Case("metrics without token", "GET", "/metrics", {}, b"", 401, "send a token"),
    Case("page without token", "GET", "/", {}, b"", 401, "send a token"),
    Case(
        "guardrail without token", "POST", "/beta/litellm_basic_guardrail_api", {}, b"{}", 401, "send a token"
    ),
]

PATHS = [
    get("parent folder", "/v1/../admin", 400, "the path leads elsewhere"),
    get("encoded parent folder", "/v1/%2e%2e/admin", 400, "the path leads elsewhere"),
    get("parent folder encoded twice", "/v1/%252e%252e/admin", 400, "the path leads elsewhere"),
    get("encoded slash", "/v1/..%2fadmin", 400, "the path leads elsewhere"),
    get("backslash", "/v1/%5c..%5cadmin", 400, "the path leads elsewhere"),
    get("another host as a path", "/v1//evil.example/x", 400, "the path leads elsewhere"),
    get("NUL", "/v1/models%00.txt", 400, "the path leads elsewhere"),
    get("line ends", "/v1/x%0d%0aHost:%20evil", 400, "the path leads elsewhere"),
    get("this folder", "/v1/./models", 400, "the path leads elsewhere"),
    get("encoded five times", "/v1/%252525252e", 400, "the path is encoded several times"),
    get("address in place of a path", "http://evil.example/v1/models", 404, "there is no such route"),
    get("file of the machine", "/etc/passwd", 404, "there is no such route"),
    get("file above the root", "/../../etc/passwd", 404, "there is no such route"),
    Case("tunnel", "CONNECT", "evil.example:443", TOKEN, b"", 404, "there is no such route"),
    Case("everything", "OPTIONS", "*", TOKEN, b"", 404, "there is no such route"),
]

BODIES = [
    revise("no JSON", b"{", "it is no JSON object"),
    revise("list", [], "send an object with sources"),
    revise("number as text", {"text": 1}, "body.text: give a text"),
    revise("empty text", {"text": ""}, "body.text: it is empty: give a text"),
    revise("no text", {}, "body.text: it is missing: give it"),
    revise("file as text", {"file": "/etc/passwd"}, "body.text: it is missing: give it"),
    revise(
        "file beside the text",
        {"text": "x", "file": "/etc/passwd"},
        "body.file: unknown key: give sources, search",
    ),
    revise(
        "address of a model",
        {"text": "x", "base_url": "http://evil"},
        "body.base_url: unknown key: give sources, search",
    ),
    revise("corpus above", {"text": "x", "corpus": "../.."}, "unknown corpus: this server has dams"),
    revise("corpus by its path", {"text": "x", "corpus": "examples/corpus"}, "unknown corpus"),
    revise("corpus by an address", {"text": "x", "corpus": "file:///etc"}, "unknown corpus"),
    revise("file as source", {"text": "x", "sources": [{"path": "/etc/passwd"}]}, "body.sources.0"),
    revise("too many sources", {"text": "x", "sources": ["y"] * 1001}, "body.sources: List should have at"),
    revise("search of an address", {"text": "x", "search": "http://evil"}, "body.search: give 'given'"),
    revise("search in nothing", {"text": "x", "search": "given"}, "search is given without sources"),
    revise("all the time", {"text": "x", "deadline_s": 1e9}, "body.deadline_s: give a number less than"),
    revise("endless time", b'{"text": "x", "deadline_s": Infinity}', "body.deadline_s: give a finite number"),
    revise("bytes that are no text", b'{"text": "\xff"}', "it is no JSON object"),
    revise("deep JSON", b'{"text": ' + b"[" * 5000, "it is no JSON object"),
    revise(
        "form of a page", b"text=x", "the header Content-Type: application/json", Content_Type="text/plain"
    ),
    chat("unknown mode", {"mode": "delete"}, "rarr.mode: give 'revise', 'cite', 'check'"),
    chat("mode as a text", "off", "rarr: give an object"),
    chat("another server behind", {"upstream": "http://evil"}, "rarr.upstream: unknown key: give"),
    chat("address of a source to fetch", {"sources": [{"url": "http://169.254.169.254"}]}, "rarr.sources.0"),
    post(
        "guardrail for nobody", "/beta/litellm_basic_guardrail_api", {}, 400, "body.input_type: it is missing"
    ),
    post(
        "guardrail with a path",
        "/beta/litellm_basic_guardrail_api",
        {
            "input_type": "response",
            "texts": ["x"],
            "additional_provider_specific_params": {"corpus": "/etc"},
        },
        400,
        "unknown corpus",
    ),
]

CONNECTIONS = [
    post("body too large", "/v1/revise", b"x" * 20_000, 413, "the body has more than 0.01 MB"),
    post("large by its own account", "/v1/revise", b"x", 413, "the body has", Content_Length="999999999999"),
    post(
        "large in pieces",
        "/v1/revise",
        b"4000\r\n" + b"x" * 0x4000 + b"\r\n",
        413,
        "the body has more than",
        Transfer_Encoding="chunked",
    ),
    post("slow body", "/v1/revise", b"x", 408, "the body took more than 0.3 s", Content_Length="9"),
    post("length of no number", "/v1/revise", b"x", 400, "Invalid HTTP", Content_Length="abc"),
    post("unknown coding", "/v1/revise", b"x", 400, "Invalid HTTP", Transfer_Encoding="gzip"),
    get(
        "another site's page",
        "/v1/models",
        403,
        "answers no pages of other sites",
        Origin="https://evil.example",
    ),
    get("page of no site", "/v1/models", 403, "answers no pages of other sites", Origin="null"),
    get("endless head", "/v1/models", 431, "the headers have more than", Cookie="x" * 100_000),
    Case("word that is no method", "G E T", "/", TOKEN, b"", 400, "Invalid HTTP"),
    Case("name of a header with a space", "GET", "/", {"X Y": "z"}, b"", 400, "Invalid HTTP"),
]

CASES = [*TOKENS, *PATHS, *BODIES, *CONNECTIONS]
