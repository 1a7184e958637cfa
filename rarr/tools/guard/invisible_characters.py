"""Removes invisible characters that no script (writing system) needs, and finds hidden messages."""

import re
from collections.abc import Callable

_LINES = re.compile("\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]")
_FLAGS = "|".join(  # flags of England, Scotland and Wales, which are written with tags
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in code) + "\U000e007f"
    for code in ("gbeng", "gbsct", "gbwls")
)
_TAGS = re.compile(f"({_FLAGS})|[\U000e0000-\U000e007f]+")
_NEEDED_BY_NO_SCRIPT = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\U000e0080-\U000e00ff\U000e01f0-\U000e0fff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_BLANKS = re.compile("[\u115f\u1160\u3164\uffa0]{2,}|[\u3164\uffa0]")  # letters that look like spaces
_SURROGATES = re.compile("[\ud800-\udfff]")
_EMOJI = "\xa9\xae\u203c-\u3299\U0001f000-\U0001faff"
_JOINING = "\u0600-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1bff\ua840-\ua8ff"  # Arabic, Indic and others
_IDEOGRAPHS = "\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# A joiner or selector stays if a script needs it: if it stands alone after a character that it shapes.
_SHAPING = re.compile(
    f"(?<=[{_JOINING}])[\u200c\u200d](?![\u200c\u200d])"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f](?![{_SELECTOR}])"
    f"|(?<=[{_IDEOGRAPHS}\u2200-\u22ff])[{_SELECTOR}](?![{_SELECTOR}])"
    f"|(?<=[\u1800-\u180a\u1810-\u18af])[\u180b-\u180d\u180f]"
    f"|(?<=[\u0590-\u08ff\ufb1d-\ufefc])[\u200e\u200f\u061c](?![\u200c-\u200f\u061c])"
    f"|(?<![\u200c-\u200f\u061c])[\u200e\u200f](?=[\u0590-\u08ff\ufb1d-\ufefc])"
    f"|([\u200c-\u200f\u061c\u180b-\u180d\u180f{_SELECTOR}])"
)
_FREQUENT = re.compile("[\t\n -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e]*")  # no step changes them
_TAG_LETTERS = re.compile(f"(?:{_FLAGS})|([\U000e0020-\U000e007e]{{4,}})")
_SELECTORS = re.compile(f"[{_SELECTOR}]{{4,}}")
_BITS = re.compile("[\u200b-\u200d\u2060\ufeff]{32,}")

Step = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
STEPS: tuple[Step, ...] = (
    (_LINES, lambda match: "\n"),
    (_SURROGATES, lambda match: "\ufffd"),
    (_TAGS, lambda match: match[1] or ""),
    (_NEEDED_BY_NO_SCRIPT, lambda match: ""),
    (_BLANKS, lambda match: " "),
    (_SHAPING, lambda match: "" if match[1] else match[0]),
)
"""The replacements that `without_invisible` makes, in order. After them, a text has only visible characters,
and each line ends with a newline. A step is a pattern with a function that returns the new characters."""


def steps_for(text: str) -> tuple[Step, ...]:
    """Returns `STEPS`, or () if `text` has only frequent characters, which no step changes."""
    return () if _FREQUENT.fullmatch(text) else STEPS


def without_invisible(text: str) -> str:
    """Returns `text` without invisible characters: applies all `STEPS`."""
    for pattern, replacement in steps_for(text):
        text = pattern.sub(replacement, text)
    return text


def hides_text(text: str) -> bool:
    """Tells whether `text` hides a message in a row of invisible characters, such as tags (U+E0061)."""
    if text.isascii():
        return False
    return (
        any(match[1] for match in _TAG_LETTERS.finditer(text))
        or _SELECTORS.search(text) is not None
        or any(len(set(run)) > 1 for run in _BITS.findall(text))
    )
