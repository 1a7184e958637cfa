"""Makes texts of others safe to print: characters that steer a terminal become visible, in JSON escaped."""

import re
from typing import Any

# Characters that move the cursor, colour, ring or turn the direction of writing: C0 without tab and newline,
# DEL, C1, line separators, bidirectional embeddings, overrides and isolates, and halves of surrogate pairs.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# Marks of direction. They stay in a shown text, because Hebrew and Arabic are written with them.
_ESCAPED = re.compile(f"{_STEERING.pattern}|[\u061c\u200e\u200f]")


def visible(text: str) -> str:
    """Replaces characters that steer a terminal by visible signs. Each line ends in a newline alone."""
    return _STEERING.sub(_picture, re.sub("\r\n?", "\n", text))


def one_line(text: str, most: int | None = None) -> str:
    """Puts `text` on one line, makes it `visible`, and cuts it to `most` characters, the last of them …"""
    line = " ".join(visible(text).split())
    return line if most is None or len(line) <= most else line[: most - 1].rstrip() + "…"


def in_quotes(text: str, most: int = 80) -> str:
    """Writes `text` as `one_line` does, in quotation marks."""
    return f"“{one_line(text, most)}”"


def as_json(value: Any) -> str:
    """Writes a record, or what it is made of, as commands print JSON: indented, and `escaped`."""
    from pydantic_core import to_json  # an error of a command shall not wait for it

    return escaped(to_json(value, indent=2, by_alias=False, inf_nan_mode="null").decode()) + "\n"


def escaped(text: str) -> str:
    """Escapes the characters in JSON that steer a terminal. The meaning of the JSON is unchanged."""
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
