"""HTML by small pieces. Every text in it is someone else's: `shown` is the only way in."""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
"""What all pages look like; a page's own style sheet goes behind it."""

_LONG = 500  # characters of an address that is shown
# What steers the direction of a line, or is not seen at all, could make one text look like another.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def document(title: str, style: str, body: str, script: str = "") -> str:
    """A whole page, to be written as UTF-8. `title` is anyone's text.

    The browser is told to allow nothing but this style sheet and this script, so that even a text that got
    through the escaping could neither run nor send anything.
    """
    scripts = f" script-src {_digest(script)};" if script else ""
    policy = f"default-src 'none'; style-src {_digest(style)};{scripts} base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">',
            f"<title>{shown(title)}</title>",
            f"<style>{style}</style>\n</head>\n<body>\n{body}",
            *([f"<script>{script}</script>"] if script else []),
            "</body>\n</html>\n",
        ]
    )


def _digest(inline: str) -> str:
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


def shown(text: str) -> str:
    """`text` for a page, in elements and in attributes; what is not seen is written as its code point."""
    return escape(_UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text))


def isolated(text: str) -> str:
    """A short text of unknown direction, within a line of ours."""
    return f"<bdi>{shown(text)}</bdi>"


def is_web(source: str) -> bool:
    """Is it an address that a page may lead to?"""
    try:
        return urlsplit(source).scheme in {"http", "https"}
    except ValueError:  # "http://[": no address, whatever it looks like
        return False


def linked(source: str, title: str = "") -> str:
    """A source by its title, as a link where it has an address."""
    name = isolated(title or clipped(source))
    if is_web(source):
        return f'<a href="{shown(source)}" rel="noopener noreferrer">{name}</a>'
    return f"{name} ({isolated(clipped(source))})" if title else name


def clipped(text: str) -> str:
    """As much of an address, or of another short text, as a reader needs."""
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def number(value: float | None) -> str:
    """Two decimals; a value that was not judged is no number."""
    return "not judged" if value is None else f"{value:.2f}"


def section(name: str, heading: str, *parts: str) -> str:
    """A part of the page, which `#name` leads to. Empty parts leave no trace."""
    body = "\n".join(part for part in parts if part)
    head = f'<section id="{name}" aria-labelledby="{name}-h">\n<h2 id="{name}-h">{heading}</h2>'
    return f"{head}\n{body}\n</section>"


def paragraph(html: str) -> str:
    """A line of text of ours."""
    return f"<p>{html}</p>"


def folded(summary: str, body: str, *, unfolded: bool = False) -> str:
    """What opens by a click or a key, without a script."""
    opened = " open" if unfolded else ""
    return f"<details{opened}><summary>{summary}</summary>\n{body}\n</details>"


def listed(items: Iterable[str]) -> str:
    """A plain list."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: str = "") -> str:
    """A table whose first cells head their rows; it scrolls by itself where it is too wide.

    `numbers` has a letter a column: "n" where cells are numbers, "b" for a bar, any other for text.
    """
    kinds = numbers.ljust(len(columns), "-")
    head = "".join(
        f'<th scope="col"{_aligned(k)}>{name}</th>' for k, name in zip(kinds, columns, strict=True)
    )
    body = "\n".join(_row(cells, kinds) for cells in rows)
    return (
        f'<div class="scroll" role="region" aria-label="{caption}" tabindex="0"><table>'
        f"<caption>{caption}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _row(cells: Sequence[str], kinds: str) -> str:
    head, *rest = cells
    tail = "".join(f"<td{_aligned(kind)}>{cell}</td>" for kind, cell in zip(kinds[1:], rest, strict=True))
    return f'<tr><th scope="row">{head}</th>{tail}</tr>'


def _aligned(kind: str) -> str:
    return {"n": ' class="n"', "b": ' class="b"'}.get(kind, "")
