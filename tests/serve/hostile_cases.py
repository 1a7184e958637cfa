"""What hostile callers send, byte by byte, and what each of them gets: a status, and part of a message."""

import json
from typing import Any, NamedTuple

from serve.serving import ALICE, BOB

TOKEN = {"Authorization": f"Bearer {ALICE}"}
GUARDRAIL = "/beta/litellm_basic_guardrail_api"


class Case(NamedTuple):
    """A request, and its answer."""

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


def unknown(name: str, path: str = "/v1/models", **headers: str) -> Case:
    return Case(name, "GET", path, headers, b"", 401, "send a token of this server")


def post(name: str, path: str, body: Any, status: int, says: str, **headers: str) -> Case:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return Case(name, "POST", path, {**TOKEN, "Content-Type": "application/json", **sent}, data, status, says)


def revise(name: str, body: Any, says: str, **headers: str) -> Case:
    return post(name, "/v1/revise", body, 400, says, **headers)


def chat(name: str, rarr: Any, says: str) -> Case:
    return post(name, "/v1/chat/completions", {"model": "x", "messages": [], "rarr": rarr}, 400, says)


LEADS = "the path leads elsewhere"
CASES = [
    unknown("no token"),
    unknown("beginning of a token", Authorization=f"Bearer {ALICE[:-1]}"),
    unknown("token and more", Authorization=f"Bearer {ALICE}x"),
    unknown("another scheme", Authorization=f"Basic {ALICE}"),
    unknown("both tokens at once", Authorization=f"Bearer {ALICE},{BOB}"),
    unknown("token of bytes", Authorization="Bearer \xff\xfe"),
    unknown("token in a cookie", Cookie=f"token={ALICE}"),
    unknown("token in the query", f"/v1/models?token={ALICE}"),
    unknown("page without token", "/"),
    unknown("guardrail without token", GUARDRAIL),
    get("parent folder", "/v1/../admin", 400, LEADS),
    get("encoded parent folder", "/v1/%2e%2e/admin", 400, LEADS),
    get("parent folder encoded twice", "/v1/%252e%252e/admin", 400, LEADS),
    get("encoded slash", "/v1/..%2fadmin", 400, LEADS),
    get("backslash", "/v1/%5c..%5cadmin", 400, LEADS),
    get("another host as a path", "/v1//evil.example/x", 400, LEADS),
    get("NUL", "/v1/models%00.txt", 400, LEADS),
    get("line ends", "/v1/x%0d%0aHost:%20evil", 400, LEADS),
    get("encoded five times", "/v1/%252525252e", 400, "the path is encoded several times"),
    get("address in place of a path", "http://evil.example/v1/models", 404, "there is no such route"),
    get("file above the root", "/../../etc/passwd", 404, "there is no such route"),
    Case("tunnel", "CONNECT", "evil.example:443", TOKEN, b"", 404, "there is no such route"),
    get("another method", "/v1/revise", 405, "send POST"),
    revise("no JSON", b"{", "it is no JSON object"),
    revise("list", [], "send an object with sources"),
    revise("bytes that are no text", b'{"text": "\xff"}', "it is no JSON object"),
    revise("deep JSON", b'{"text": ' + b"[" * 5000, "it is no JSON object"),
    revise("form of a page", b"text=x", "Content-Type: application/json", Content_Type="text/plain"),
    revise("text of a page", {"text": "x"}, "Content-Type: application/json", Content_Type="text/plain"),
    revise("number as text", {"text": 1}, "body.text: give a text"),
    revise("empty text", {"text": " "}, "body.text: it is empty: give a text"),
    revise("file as text", {"file": "/etc/passwd"}, "body.text: it is missing: give it"),
    revise("file beside the text", {"text": "x", "file": "/etc"}, "body.file: unknown key: give sources,"),
    revise("corpus above", {"text": "x", "corpus": "../.."}, "unknown corpus: this server has dams"),
    revise("corpus by its path", {"text": "x", "corpus": "examples/corpus"}, "unknown corpus"),
    revise("sources as a text", {"text": "x", "sources": "y"}, "body.sources: give a list"),
    revise("file as source", {"text": "x", "sources": [{"path": "/etc/passwd"}]}, "body.sources.0"),
    revise("address as source", {"text": "x", "sources": [{"text": "y", "url": "z"}]}, "body.sources.0.url"),
    revise("too many sources", {"text": "x", "sources": ["y"] * 1001}, "body.sources: List should have at"),
    revise("search of an address", {"text": "x", "search": "http://evil"}, "body.search: give 'given'"),
    revise("search in nothing", {"text": "x", "search": "given"}, "search is given without sources"),
    revise("all the time", {"text": "x", "deadline_s": 1e9}, "body.deadline_s: give a number less than"),
    revise("endless time", b'{"text": "x", "deadline_s": Infinity}', "body.deadline_s: give a finite number"),
    chat("unknown mode", {"mode": "delete"}, "rarr.mode: give 'revise', 'cite', 'check'"),
    chat("mode as a text", "off", "rarr: give an object"),
    chat("another server behind", {"upstream": "http://evil"}, "rarr.upstream: unknown key: give"),
    chat("address of a source to fetch", {"sources": [{"url": "http://169.254.169.254"}]}, "rarr.sources.0"),
    post("guardrail for nobody", GUARDRAIL, {}, 400, "body.input_type: it is missing"),
    post(
        "guardrail with a path",
        GUARDRAIL,
        {
            "input_type": "response",
            "texts": ["x"],
            "additional_provider_specific_params": {"corpus": "/etc"},
        },
        400,
        "unknown corpus",
    ),
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
    get(
        "page of another site", "/v1/models", 403, "answers no pages of other", Origin="https://evil.example"
    ),
    get("page of no site", "/v1/models", 403, "answers no pages of other sites", Origin="null"),
    get("endless head", "/v1/models", 431, "the headers have more than", Cookie="x" * 100_000),
]
