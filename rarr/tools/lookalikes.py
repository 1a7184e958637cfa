"""Characters that look like Latin letters, and the letters that they look like."""

import re
from collections.abc import Iterator

_ALIKE = {
    "a": "аαɑ∂ᴀǝ", "b": "ЬВвΒβʙ", "c": "сСϲᴄⅽ", "d": "ԁɗᴅⅾ", "e": "еЕεΕєҽᴇ℮ɘ", "f": "ſƒϝꜰ", "g": "ɡԍɢց",
    "h": "һНнΗʜհ", "i": "іІιΙӏɪıίїⅰ", "j": "јЈϳᴊ", "k": "кКκΚᴋ", "l": "ⅼʟłӀǀ", "m": "мМΜᴍⅿ", "n": "пηΝɴո",
    "o": "оОοΟσөᴏօ०๐٥", "p": "рРρΡᴘ", "q": "ԛգ", "r": "гʀɍ", "s": "ѕЅꜱʂ", "t": "тТτΤᴛ", "u": "υцᴜսʋ",
    "v": "ѵνᴠⅴ", "w": "ԝωшѡᴡ", "x": "хХχΧⅹ", "y": "уУүγΥʏ", "z": "ᴢʐΖ",
}  # fmt: skip
_TO_LATIN = {ord(one): letter for letter, several in _ALIKE.items() for one in several}
_TO_LATIN |= {0x1F1E6 + n: chr(97 + n) for n in range(26)}  # regional indicators
_TO_LATIN |= {
    start + n: chr(97 + n) for start in (0x1F150, 0x1F170) for n in range(26)
}  # filled circles, squares
_TURNED = str.maketrans("ɐqɔpǝɟƃɓɥᴉıɾʞןʃɯuodbɹsʇnʌʍxʎz", "abcdefgghiijkllmnopqrstuvwxyz")
_TURNED_LETTER = re.compile("[ɐɔɟƃɥᴉɾʞןɯɹʇʌʍʎ]")
_LEET: dict[str, str | int | None] = {
    "0": "o",
    "3": "e",
    "4": "a",
    "5": "s",
    "6": "g",
    "7": "t",
    "8": "b",
    "9": "g",
    "@": "a",
    "$": "s",
    "!": "i",
    "+": "t",
}


def latin(text: str) -> str:
    """`text` with Latin letters for what looks like them; turned letters are read from the end."""
    if text.isascii():
        return text
    plain = text.translate(_TO_LATIN)
    if len(_TURNED_LETTER.findall(text)) > 4:
        plain += "\n" + text.translate(_TURNED)[::-1]
    return plain


def latin_leet(text: str) -> Iterator[str]:
    """`text` with letters for digits and signs; 1 and | stand for either of two."""
    for letter in "il":
        yield text.translate(str.maketrans({**_LEET, "1": letter, "|": letter}))
