"""What a process reads may be more than it may give back; the reason says so."""

import pickle

import pytest
from families import few

from rarr.retrievers.extract import pool
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.worker_handle import Process
from rarr.retrievers.extract.worker_main import CallLimits

LIMITS = CallLimits(20, 200)


@pytest.mark.slow
@pytest.mark.parametrize("length", few([500_000, 2_001, 5_000_000], every=3))
def test_oversized_outcome_is_an_error_that_says_so(length: int) -> None:
    process = Process()
    try:
        with pytest.raises(UnreadableError, match=r"^reading it gave more than 0\.002 MB$"):
            process.ask(pickle.dumps((str.ljust, ("a", length), tuple(LIMITS))), 2_000)
    finally:
        process.end()


@pytest.mark.slow
def test_next_call_is_answered_after_an_oversized_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Process.ask
    with monkeypatch.context() as patched:
        patched.setattr(Process, "ask", lambda process, request, most: ask(process, request, 2_000))
        with pytest.raises(UnreadableError, match="reading it gave more than"):
            pool.WorkerCall(str.ljust, "a", 5_000, limits=LIMITS)()
    assert pool.pids() == []
    assert pool.WorkerCall(str.ljust, "a", 3, limits=LIMITS)() == "a  "
    pool.end_idle()
