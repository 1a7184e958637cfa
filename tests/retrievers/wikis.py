"""A small MediaWiki: its answers have the shapes of formatversion 2."""

from typing import Any

from retrievers.services import Asked, Said

PEACHES = """The peach is a tree. Its fruit has the same name.


== Production ==
California grows most of them. Georgia follows.


=== In 2019 ===
It was a dry year.


== References ==
Smith, John. Peaches of Georgia.


=== Works ===
Peaches, Volume 2.


== In culture ==
Roald Dahl wrote of a giant one."""


class Wiki:
    """Finds the articles with all words of a search, or with any of them where they are joined by OR."""

    def __init__(self, **articles: str) -> None:
        self.articles = articles
        self.disambiguations: set[str] = set()
        self.broken: set[str] = set()
        self.has_extracts = True
        self.failures: list[Said] = []  # said before all else, each once

    def __call__(self, asked: Asked) -> Said:
        fields = asked.fields
        if self.failures:
            return self.failures.pop(0)
        if fields.get("list") == "search":
            return Said({"batchcomplete": True, "query": {"search": self._search(fields["srsearch"])}})
        if fields["action"] == "parse":
            paragraphs = "".join(
                f"<p>{paragraph}</p>" for paragraph in self.articles[fields["page"]].split("\n")
            )
            html = f'<div class="mw-parser-output">{paragraphs}</div>'
            return Said({"parse": {"title": fields["page"], "pageid": 1, "text": html}})
        title = fields["titles"]
        if title in self.broken:
            return Said({"error": {"code": "internal_api_error", "info": f"the page {title} is broken"}})
        return Said({"batchcomplete": True, "query": {"pages": [self._page(title)]}})

    def _search(self, words: str) -> list[dict[str, Any]]:
        any_or_all = any if " OR " in words else all
        wanted = words.lower().replace(" or ", " ").split()
        return [
            {"ns": 0, "title": title, "pageid": number}
            for number, (title, text) in enumerate(self.articles.items(), 1)
            if any_or_all(word in f"{title} {text}".lower() for word in wanted)
        ]

    def _page(self, title: str) -> dict[str, Any]:
        if title not in self.articles:
            return {"ns": 0, "title": title, "missing": True}
        return {
            "pageid": 1,
            "ns": 0,
            "title": title,
            "fullurl": f"https://wiki.example.org/wiki/{title.replace(' ', '_')}",
            "revisions": [{"timestamp": "2024-05-06T07:08:09Z"}],
            **({"extract": self.articles[title]} if self.has_extracts else {}),
            **({"pageprops": {"disambiguation": ""}} if title in self.disambiguations else {}),
        }
