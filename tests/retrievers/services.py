"""A web service on this machine that answers as a test says, and keeps what it was asked."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from local_server import LocalServer


class Asked(NamedTuple):
    """A request: its path, the fields of its query or of the JSON in its body, and its headers."""

    path: str
    fields: dict[str, Any]
    headers: Mapping[str, str]


class Said(NamedTuple):
    """An answer; what is no text is sent as JSON."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = {}


class Service:
    """Runs while it is entered. `asked` are the requests so far."""

    def __init__(self, answer: Callable[[Asked], Said]) -> None:
        self.asked: list[Asked] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = _asked(self)
                service.asked.append(asked)
                reply = answer(asked)
                body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            do_POST = do_GET  # noqa: N815  # as the base class calls it

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = LocalServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.01))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _asked(handler: BaseHTTPRequestHandler) -> Asked:
    address = urlsplit(handler.path)
    sent = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    fields = json.loads(sent) if sent else dict(parse_qsl(address.query))
    return Asked(address.path, fields, {name.lower(): value for name, value in handler.headers.items()})


class Wiki:
    """A small MediaWiki, which finds articles with all words of a search, or with any that OR joins."""

    def __init__(self, **articles: Any) -> None:
        self.articles = articles

    def __call__(self, asked: Asked) -> Said:
        if asked.fields.get("list") == "search":
            words = asked.fields["srsearch"]
            wanted, holds = words.lower().replace(" or ", " ").split(), any if " OR " in words else all
            found = [
                {"title": title}
                for title, text in self.articles.items()
                if holds(word in f"{title} {text}".lower() for word in wanted)
            ]
            return Said({"query": {"search": found}})
        title = asked.fields["titles"]
        page = self.articles[title]
        if isinstance(page, Exception):
            return Said({"error": {"code": "internal_api_error", "info": str(page)}})
        page = page if isinstance(page, dict) else {"extract": page}
        url = f"https://wiki.example.org/wiki/{title}"
        return Said({"query": {"pages": [{"title": title, "fullurl": url, **page}]}})
