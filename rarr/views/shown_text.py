"""Makes texts safe to print: replaces characters that steer a terminal, and escapes them in JSON."""

import re
from typing import Any

# Characters that move the cursor, colour, ring or turn the direction of writing: C0 without tab and newline,
# DEL, C1, line separators, bidirectional embeddings, overrides and isolates, and halves of surrogate pairs.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Marks of direction. They stay in a shown text, because Hebrew and Arabic are written with them.
_UNSAFE_IN_JSON = re.compile(f"{_STEERING.pattern}|[\u061c\u200e\u200f]")


def visible_text(text: str) -> str:
    """Replaces characters that steer a terminal by visible signs, and every line end by a newline."""
    return _STEERING.sub(_visible_sign, re.sub("\r\n?", "\n", text))


def one_line(text: str, most: int | None = None) -> str:
    """Puts `text` on one line, safe to print, of at most `most` characters. A text that is cut ends with …"""
    line = " ".join(visible_text(text).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def in_quotes(text: str, most: int = 80) -> str:
    """Writes `text` as `one_line` does, in quotation marks."""
    return f"“{one_line(text, most)}”"


def as_json(value: Any) -> str:
    """Writes a record, or a list or mapping, as the JSON that commands print: indented and escaped."""
    from pydantic_core import to_json  # an error of a command shall not wait for it

    return escaped_json(to_json(value, indent=2, by_alias=False, inf_nan_mode="null").decode()) + "\n"


def escaped_json(text: str) -> str:
    """Escapes the characters that steer a terminal in a JSON text, which keeps its meaning."""
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _visible_sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
