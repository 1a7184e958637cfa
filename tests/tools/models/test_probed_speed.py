"""The speed of a model, from the seconds of requests of different sizes."""

from typing import Any

import pytest

from rarr.tools.models.chat import Tokens
from rarr.tools.models.probed_speed import (
    Timing,
    Timings,
    at_once_ability,
    cache_ability,
    speed_ability,
    speed_of,
)

LATENCY, READS, WRITES = 0.5, 100.0, 10.0


def timed(read: int, written: int, cached: int = 0) -> Timing:
    seconds = LATENCY + (read - cached) / READS + written / WRITES
    return Timing(Tokens(read, written, cached), seconds)


def timings(**changed: Any) -> Timings:
    short, new, long = timed(40, 16), timed(840, 16), timed(40, 80)
    return Timings(short, new, timed(840, 16), long, 2 * long.seconds)._replace(**changed)


def test_speed_is_that_of_the_model_without_the_connection() -> None:
    speed = speed_of(timings())
    assert speed is not None
    assert (speed.input_per_s, speed.output_per_s) == pytest.approx((READS, WRITES))
    assert (speed.latency_s, speed.at_once) == pytest.approx((LATENCY, 2.0))


def test_seconds_of_a_request_follow_from_the_speed() -> None:
    speed = speed_of(timings())
    assert speed is not None
    assert speed.seconds(Tokens(200, 30)) == pytest.approx((0.5 + 2 + 3) / 2)


@pytest.mark.parametrize(("at_once_s", "gain"), [(None, 1.0), (0.01, 4.0), (99.0, 1.0)])
def test_gain_of_requests_at_once_is_from_one_to_their_number(at_once_s: float | None, gain: float) -> None:
    speed = speed_of(timings(at_once_s=at_once_s))
    assert speed is not None
    assert speed.at_once == gain


def test_reading_that_is_too_fast_to_measure_takes_no_time() -> None:
    speed = speed_of(timings(new=Timing(Tokens(840, 16), timed(40, 16).seconds)))
    assert speed is not None
    assert speed.input_per_s is None
    assert speed.seconds(Tokens(10_000, 0)) == speed.seconds(Tokens(0, 0))
    assert speed_ability(speed).detail.startswith("in: too fast to measure; out: 10 tokens a second")


def test_answers_of_one_length_give_no_speed() -> None:
    short = timings(long=timed(40, 20))
    assert speed_of(short) is None
    assert speed_ability(None).state == at_once_ability(short, None, "").state == "unknown"


@pytest.mark.parametrize(
    ("again", "state"),
    [
        (timed(840, 16, cached=832), "yes"),
        (timed(840, 16, cached=32), "no"),
        (Timing(Tokens(840, 16), timed(40, 16).seconds), "yes"),
        (timed(840, 16), "no"),
    ],
    ids=["reported", "reported for the first words alone", "by time", "not"],
)
def test_prefix_cache_is_seen_by_cached_tokens_or_by_time(again: Timing, state: str) -> None:
    assert cache_ability(timings(again=again)).state == state


def test_prefix_cache_of_a_server_that_is_too_fast_is_unknown() -> None:
    fast = Timing(Tokens(840, 16), timed(40, 16).seconds)
    assert cache_ability(timings(new=fast, again=fast)).state == "unknown"
