"""Finds what keeps an event loop waiting in our own coroutines: files, SQLite, locks, sleeps, and long work.

Calls are counted, not timed: one of these functions is called in the thread of a running event loop, and the
coroutine that is innermost there is ours. What a test's own coroutine calls is the test's affair.
"""

import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import blockbuster.blockbuster as detector
from blockbuster import BlockBuster, BlockBusterFunction, BlockingError
from markdown_it import MarkdownIt
from onnxruntime import InferenceSession
from rapidfuzz.distance import Levenshtein

import rarr
from rarr.tools.text import blocks_and_sentences

LONG = 10_000
"""Characters. A regular expression takes about a millisecond for so many."""
OURS = str(Path(rarr.__file__).parent)
_TESTS, _DOUBLES = str(Path(__file__).parent), f"{OURS}/testing/"
_COROUTINE = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MATCHING = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")


_open: list[list[str]] = []  # what was seen in each block of `watched`, the inner ones last


class SeenError(BlockingError):
    """Is told to the innermost block where it is raised, with our functions on the way."""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        frames = [frame for frame in reversed(traceback.extract_stack()) if frame.filename.startswith(OURS)]
        places = (f"{Path(it.filename).relative_to(OURS)}:{it.lineno} {it.name}" for it in frames[:6])
        _open[-1].append(f"{function}, in {' < '.join(places)}")


@contextmanager
def watched() -> Iterator[list[str]]:
    """In the block such calls raise, and the list says where: what is raised may be survived."""
    _patch()
    _open.append([])
    try:
        yield _open[-1]
    finally:
        _open.pop()


@cache
def _patch() -> None:
    """Once for the whole process: for each test it would take longer than most tests."""
    detector.BlockingError = SeenError  # type: ignore[assignment, misc]
    for function in [*BlockBuster(rarr).functions.values(), *_long_work()]:
        function.can_block_predicate = _unless_ours(function.can_block_predicate)
        function.activate()


def _long_work() -> list[BlockBusterFunction]:
    """What computes for long: the encoder, the parser of texts, and searches in long strings."""
    always: list[tuple[Any, str]] = [(InferenceSession, "run"), (MarkdownIt, "parse")]
    always += [(blocks_and_sentences, "get_sentence_boundaries")]
    long: list[tuple[Any, str]] = [*((re.Pattern, name) for name in _MATCHING), (Levenshtein, "distance")]
    options: dict[str, Any] = {"scanned_modules": rarr, "can_block_predicate": _short}
    found = [BlockBusterFunction(of, name, scanned_modules=rarr) for of, name in always]
    return found + [BlockBusterFunction(of, name, **options) for of, name in long]


def _short(*args: Any, **_: Any) -> bool:
    """Also for a pattern that looks at a few characters of a long string: from `pos` to `endpos`."""
    if len(args) == 4 and isinstance(args[2], int):
        return bool(args[3] - args[2] < LONG)
    return all(len(argument) < LONG for argument in args if isinstance(argument, (str, bytes)))


def _unless_ours(allowed: Callable[..., bool]) -> Callable[..., bool]:
    def may_block(*args: Any, **options: Any) -> bool:
        return not _open or allowed(*args, **options) or not _is_ours(sys._getframe(1))

    return may_block


def _is_ours(frame: FrameType | None) -> bool:
    """Is the innermost coroutine ours? Without one it is a callback, and ours where we are in it at all.

    Doubles are not, which stand for what is elsewhere, nor is what a test is called back for. The thread that
    runs an event loop calls anybody's.
    """
    inner = False
    while frame is not None:
        file = frame.f_code.co_filename
        is_ours = file.startswith(OURS)
        if file.startswith((_DOUBLES, _TESTS)):
            return False
        if frame.f_code.co_flags & _COROUTINE:
            return is_ours
        inner, frame = inner or is_ours, frame.f_back
    return inner
