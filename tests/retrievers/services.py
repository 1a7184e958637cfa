"""Answers of web services, given by servers on this machine."""

import json
from typing import Any

from rarr.testing import Request
from rarr.testing.server import Reply


def reply(body: object, status: int = 200, retry_after: float | None = None) -> Reply:
    """Makes an answer. A value that is no text is sent as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    return Reply(status, text.encode(), retry_after=retry_after)


class Wiki:
    """A small MediaWiki. It finds articles with all words of a search, or with any word joined by OR."""

    def __init__(self, **articles: Any) -> None:
        self.articles = articles

    def __call__(self, asked: Request) -> Reply:
        if asked.body.get("list") == "search":
            words = asked.body["srsearch"]
            wanted, holds = words.lower().replace(" or ", " ").split(), any if " OR " in words else all
            found = [
                {"title": title}
                for title, text in self.articles.items()
                if holds(word in f"{title} {text}".lower() for word in wanted)
            ]
            return reply({"query": {"search": found}})
        title = asked.body["titles"]
        page = self.articles[title]
        if isinstance(page, Exception):
            return reply({"error": {"code": "internal_api_error", "info": str(page)}})
        page = page if isinstance(page, dict) else {"extract": page}
        url = f"https://wiki.example.org/wiki/{title}"
        return reply({"query": {"pages": [{"title": title, "fullurl": url, **page}]}})
