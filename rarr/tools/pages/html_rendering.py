"""Renders templates as HTML. Escapes every text. A page loads no file from another address."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rarr.tools.text.wording import counted

if TYPE_CHECKING:
    from jinja2 import Environment

_LONGEST_ADDRESS = 500  # characters of an address that a page shows
# Invisible characters and marks of the writing direction can make a text look like another text.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def render(template: str, **values: Any) -> str:
    """Renders a template of this package, such as `tools/pages/page.html`. The page declares UTF-8.

    Escapes invisible characters. Raises an error if the template uses a name that is not in `values`.
    """
    return escape_invisible(_environment().get_template(template).render(values))


def escape_invisible(text: str) -> str:
    """Replaces each invisible character by its code point, such as ⟨U+200B⟩."""
    return _INVISIBLE.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


@cache
def _environment() -> "Environment":
    # The import is here because most runs of `rarr` draw no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader, extensions = PackageLoader("rarr", ""), ["jinja2.ext.do"]
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, extensions=extensions)
    made.trim_blocks = made.lstrip_blocks = True
    made.globals |= {"anchor": anchor_id, "counted": counted}
    made.filters |= {
        "clipped": clip,
        "digest": csp_digest,
        "duration": duration,
        "file": lambda name: Markup(loader.get_source(made, name)[0]),  # our style sheets and scripts
        "number": number,
        "thousands": "{:,}".format,
    }
    made.tests |= {"web": is_web_address}
    return made


def csp_digest(inline: str) -> str:
    """Returns the hash of the style or script `inline`, by which a content security policy allows it."""
    return f"sha256-{b64encode(sha256(inline.encode()).digest()).decode()}"


def anchor_id(kind: str, name: str | int) -> str:
    """Makes the HTML id `kind-name`. Escapes all characters except letters, digits, dots and hyphens."""
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9.-]", lambda match: f"_{ord(match[0]):x}_", str(name))


def is_web_address(source: str) -> bool:
    """Tells whether `source` is an http or https address, to which a page may link."""
    try:
        return urlsplit(source).scheme in {"http", "https"}
    except ValueError:  # "http://[" is no address
        return False


def clip(text: str, most: int = _LONGEST_ADDRESS) -> str:
    """Shortens a text to at most `most` characters. A shortened text ends with "…"."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def number(value: float | None) -> str:
    """Returns a score with two decimals. For None, returns "not judged"."""
    return "not judged" if value is None else f"{value:.2f}"


def duration(seconds: float | None) -> str:
    """Returns a duration with a fitting unit (ms, s, min). For None, returns "not ended"."""
    if seconds is None:
        return "not ended"
    if seconds < 0.0995:
        return f"{seconds * 1000:.{0 if seconds >= 0.00995 else 1}f} ms"
    return f"{seconds:.2f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
