"""What the detector under which all tests run tells apart."""

import asyncio
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from blockbuster import BlockingError
from blocking import LONG, OURS, watched
from makers import FACT

from rarr.backends.encoder.model import Encoder
from rarr.tools.text.blocks_and_sentences import split_sentences

CODE = "async def asked():\n    try:\n        return {}\n    except survived:\n        pass\n"
JUDGE = Encoder().attribution


def run_in(file: str, expression: str, *survived: type[Exception]) -> Any:
    """What a coroutine of this file does; no frame of a test is on the way to it."""
    names = {
        **globals(),
        "re": re,
        "Path": Path,
        "LONG": LONG,
        "split_sentences": split_sentences,
        "survived": survived,
    }
    exec(compile(CODE.format(expression), file, "exec"), names)
    return asyncio.run(names["asked"]())


def held() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@pytest.mark.parametrize(
    ("named", "expression"),
    [
        ("os.stat", "Path('file').exists()"),
        ("lock.acquire", "held().acquire()"),
        ("MarkdownIt.parse", "split_sentences(FACT + ' It is read once.')"),  # not from the cache
        ("InferenceSession.run", "JUDGE(FACT, '', FACT)"),
        ("Pattern.search", "re.compile('a').search('b' * LONG)"),
        ("Pattern.sub", "re.compile('a').sub('c', 'b' * LONG)"),
    ],
)
def test_blocking_calls_of_our_coroutines_are_reported(named: str, expression: str) -> None:
    JUDGE(FACT, "", FACT)  # its files are open
    with watched() as seen, pytest.raises(BlockingError):
        run_in(f"{OURS}/nodes/made.py", expression)
    assert [place.partition(",")[0] for place in seen] == [named]


def test_blocking_call_is_reported_though_its_error_is_caught() -> None:
    with watched() as seen:
        run_in(f"{OURS}/nodes/made.py", "split_sentences(FACT)", BlockingError)
    assert len(seen) == 1
