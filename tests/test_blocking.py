"""What the detector under which all tests run tells apart."""

import asyncio
import re
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from blockbuster import BlockingError
from blocking import LONG, OURS, watched
from makers import FACT

from rarr.backends.encoder.model import Encoder
from rarr.tools.text.blocks_and_sentences import split_sentences

CODE = """async def asked():
    try:
        return {}
    except survived:
        pass"""
JUDGE = Encoder().judgement
HELD = threading.Lock()
NAMES = {"re": re, "Path": Path, "LONG": LONG, "FACT": FACT, "split_sentences": split_sentences}


@pytest.mark.parametrize("survived", [(), BlockingError], ids=["raised", "caught"])
@pytest.mark.parametrize(
    ("named", "expression"),
    [
        ("os.stat", "Path('file').exists()"),
        ("lock.acquire", "HELD.acquire()"),
        ("MarkdownIt.parse", "split_sentences(FACT + ' It is read once.' + str(survived))"),  # not cached
        ("InferenceSession.run", "JUDGE(FACT, '', FACT)"),
        ("Pattern.search", "re.compile('a').search('b' * LONG)"),
        ("Pattern.sub", "re.compile('a').sub('c', 'b' * LONG)"),
    ],
)
def test_our_blocking_calls_are_told_also_if_caught(named: str, expression: str, survived: object) -> None:
    """No frame of a test is on the way to the coroutine."""
    JUDGE(FACT, "", FACT)  # its files are open
    HELD.acquire(blocking=False)
    names: dict[str, Any] = {**NAMES, "JUDGE": JUDGE, "HELD": HELD, "survived": survived}
    exec(compile(CODE.format(expression), f"{OURS}/nodes/made.py", "exec"), names)
    expected = nullcontext() if survived else pytest.raises(BlockingError)
    with watched() as seen, expected:
        asyncio.run(names["asked"]())
    assert [place.partition(",")[0] for place in seen] == [named]
