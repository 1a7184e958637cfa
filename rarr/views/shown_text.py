"""Makes texts safe to print: replaces characters that control a terminal, and escapes them in JSON."""

import re
from typing import Any

# These characters move the cursor, change colours, ring the bell or turn the direction of writing: C0 without
# tab and newline, DEL, C1, line separators, bidirectional controls, and halves of surrogate pairs.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# JSON escapes the marks of direction too. A shown text keeps them, because Hebrew and Arabic need them.
_UNSAFE_IN_JSON = re.compile(f"{_STEERING.pattern}|[\u061c\u200e\u200f]")


def visible_text(text: str) -> str:
    """Replaces characters that control a terminal by visible signs, and each line end by a newline."""
    return _STEERING.sub(_visible_sign, re.sub("\r\n?", "\n", text))


def one_line(text: str, most: int | None = None) -> str:
    """Writes `text` on one line, safe to print. A text over `most` characters is cut, with … at its end."""
    line = " ".join(visible_text(text).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def in_quotes(text: str, most: int = 80) -> str:
    """Writes `text` in quotation marks, on one line as `one_line` does."""
    return f"“{one_line(text, most)}”"


def as_json(value: Any) -> str:
    """Writes a record, a list or a mapping as indented JSON that is safe to print."""
    from pydantic_core import to_json  # not at the top: an error message does not need this slow import

    return escaped_json(to_json(value, indent=2, by_alias=False, inf_nan_mode="null").decode()) + "\n"


def escaped_json(text: str) -> str:
    """Escapes the characters of a JSON text that control a terminal. The meaning of the JSON stays."""
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _visible_sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
