"""Detects that a model repeats itself: it writes the same piece, or white space, again and again."""

LONGEST_PIECE = 200  # characters of the piece that is repeated
_TIMES = 6  # a list of equal short items is no loop
_LEAST = 240  # characters of all repetitions; a ruled line of a text has fewer
_SAMPLE = 16  # characters at the end of the text that are looked up before it

REPETITION = "repetition"
"""The stop reason of an answer that was cut off since it repeats itself. vLLM has the same name for it."""

TAIL = LONGEST_PIECE * _TIMES
"""Characters at the end of a text that `repetition_in` looks at."""


def repetition_in(text: str) -> str:
    """Names the repetition at the end of `text` in words; "" if there is none."""
    tail = text[-TAIL:]
    if len(tail) >= _LEAST and tail[-_LEAST:].isspace():
        return "white space"
    last = len(tail) - _SAMPLE
    earlier = tail.rfind(tail[last:], 0, len(tail) - 1) if last > 0 else -1
    piece = last - earlier
    length = max(_LEAST, _TIMES * piece)
    if earlier < 0 or length > len(tail):
        return ""
    repeated = tail[-length:-piece] == tail[piece - length :]
    return f"the same {piece} character{'s' * (piece > 1)}" if repeated else ""
