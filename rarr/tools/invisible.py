"""Characters that a reader does not see: which of them may stay in a text, and what others spell."""

import re
from collections.abc import Iterator

_LINES = re.compile("\r(?!\n)|[\x0b\x0c\x85\u2028\u2029]")
_FLAGS = "|".join(  # England, Scotland, Wales: the tag sequences that fonts know
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in code) + "\U000e007f"
    for code in ("gbeng", "gbsct", "gbwls")
)
_TAGS = re.compile(f"({_FLAGS})|[\U000e0000-\U000e007f]+")
_NEVER = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\U000e0080-\U000e00ff\U000e01f0-\U000e0fff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_BLANKS = re.compile("[\u115f\u1160\u3164\uffa0]{2,}|[\u3164\uffa0]")  # fillers, which look like spaces
_SURROGATES = re.compile("[\ud800-\udfff]")
_EMOJI = "\xa9\xae\u203c-\u3299\U0001f000-\U0001faff"
_JOINING = "\u0600-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1bff\ua840-\ua8ff"  # Arabic, Indic and others
_IDEOGRAPHS = "\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# A joiner or selector stays where writing needs it: one, behind what it shapes.
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
_PERHAPS = re.compile(  # all of the above, in one look
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SMUGGLED = re.compile(f"[{_SELECTOR}]{{4,}}")
_BITS = re.compile("[\u200b-\u200d\u2060\ufeff]{16,}")
_HIDDEN = re.compile(f"[\xad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff{_SELECTOR}]")


def seen(text: str) -> str:
    """`text` without what cannot be seen; line separators of all kinds are newlines."""
    if not _PERHAPS.search(text):
        return text
    text = _SURROGATES.sub("\ufffd", _LINES.sub("\n", text))
    text = _TAGS.sub(lambda match: match[1] or "", text)
    text = _BLANKS.sub(" ", _NEVER.sub("", text))
    return _SHAPING.sub(lambda match: "" if match[1] else match[0], text)


def spelled(text: str) -> Iterator[str]:
    """What tag characters, variation selectors and zero-width bits spell, where there are any."""
    if text.isascii():
        return
    for match in _TAGS.finditer(text):
        if match[1] is None:
            yield "".join(chr(ord(tag) - 0xE0000) for tag in match[0])
    for match in _SMUGGLED.finditer(text):
        yield bytes(_byte(selector) for selector in match[0]).decode("utf-8", "replace")
    for match in _BITS.finditer(text):
        yield from _read_bits(match[0])


def bare(text: str, between: str = "") -> str:
    """`text` with `between` in the place of everything of no width, whether writing needs it or not."""
    return text if text.isascii() else _HIDDEN.sub(between, _TAGS.sub(lambda match: match[1] or "", text))


def _byte(selector: str) -> int:
    point = ord(selector)
    return point - 0xFE00 if point < 0xE0100 else point - 0xE0100 + 16


def _read_bits(run: str) -> Iterator[str]:
    """Two of the characters stand for bits, either way round; others part them."""
    kinds = sorted(set(run), key=lambda kind: -run.count(kind))[:2]
    if len(kinds) < 2:
        return
    for zero, one in (kinds, kinds[::-1]):
        bits = "".join("0" if c == zero else "1" for c in run if c in (zero, one))
        yield bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8)).decode("utf-8", "replace")
