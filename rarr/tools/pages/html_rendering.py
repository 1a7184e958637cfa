"""Renders templates as HTML: every text is escaped, and no page loads anything from elsewhere."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from jinja2 import Environment

_LONG = 500  # characters of an address that is shown
# What steers the direction of a line, or is not seen at all, could make one text look like another.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def render(template: str, **values: Any) -> str:
    """Renders a template of this package, such as `tools/pages/page.html`, to be written as UTF-8.

    Invisible characters are written as in `seen`. Raises if the template uses a name not in `values`.
    """
    return seen(_environment().get_template(template).render(values))


def seen(text: str) -> str:
    """Replaces each invisible character by its code point, such as ⟨U+200B⟩."""
    return _UNSEEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


@cache
def _environment() -> "Environment":
    # Imported here: most runs of `rarr` draw no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader, extensions = PackageLoader("rarr", ""), ["jinja2.ext.do"]
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, extensions=extensions)
    made.trim_blocks = made.lstrip_blocks = True
    made.globals |= {"anchor": anchor, "counted": counted}
    made.filters |= {
        "clipped": clipped,
        "digest": digest,
        "duration": duration,
        "file": lambda name: Markup(loader.get_source(made, name)[0]),  # our style sheets and scripts
        "number": number,
        "thousands": "{:,}".format,
    }
    made.tests |= {"web": is_web}
    return made


def digest(inline: str) -> str:
    """Hashes an inline style or script for a content security policy: "sha256-" and base64."""
    return f"sha256-{b64encode(sha256(inline.encode()).digest()).decode()}"


def anchor(kind: str, name: str | int) -> str:
    """Makes the HTML id of an element: `kind-name`, with other characters than letters and digits escaped."""
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9.-]", lambda match: f"_{ord(match[0]):x}_", str(name))


def is_web(source: str) -> bool:
    """Is `source` an http or https address, to which a page may link?"""
    try:
        return urlsplit(source).scheme in {"http", "https"}
    except ValueError:  # "http://[": no address, whatever it looks like
        return False


def clipped(text: str, most: int = _LONG) -> str:
    """Shortens a text to at most `most` characters, the last of them "…"."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def number(value: float | None) -> str:
    """Writes a score with two decimals; None is "not judged"."""
    return "not judged" if value is None else f"{value:.2f}"


def duration(seconds: float | None) -> str:
    """Writes seconds with a fitting unit (ms, s, min); None is "not ended"."""
    if seconds is None:
        return "not ended"
    if seconds < 0.0995:
        return f"{seconds * 1000:.{0 if seconds >= 0.00995 else 1}f} ms"
    return f"{seconds:.2f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
