"""Computes the speed of a language model from the seconds that requests of different sizes took."""

from typing import NamedTuple

from rarr.tools.models.chat import Tokens
from rarr.tools.models.model_profile import Ability, Speed, State
from rarr.tools.models.probe_requests import AT_ONCE

_FLOOR_S = 0.005
_FLOOR_SHARE = 0.05  # of the shortest request, whose seconds vary by about as much
_GAIN = 1.3  # below this, requests at once wait for each other, as on a server with one slot
_TOO_SHORT = "the answers were too short to measure it"
_FEWEST_TOKENS = 16  # between the lengths of two requests that are compared


class Timing(NamedTuple):
    """The tokens of a request, and its seconds."""

    tokens: Tokens
    seconds: float


class Timings(NamedTuple):
    """The timings of one short request; of a longer prompt, new and again; and of a longer answer.

    `at_once_s` are the seconds of `AT_ONCE` requests for the longer answer at once; None if one failed.
    """

    short: Timing
    new: Timing
    again: Timing
    long: Timing
    at_once_s: float | None

    @property
    def floor_s(self) -> float:
        """The smallest difference in seconds that counts as measured."""
        return max(_FLOOR_S, _FLOOR_SHARE * self.short.seconds)

    def rate(self, tokens: int, seconds: float) -> float | None:
        """Tokens a second; None if the difference of tokens or seconds is too small to tell."""
        return tokens / seconds if tokens >= _FEWEST_TOKENS and seconds > self.floor_s else None


def speed_of(timings: Timings) -> Speed | None:
    """Computes the speed; None if the longer answer is no longer than the short one.

    Differences between requests leave out the time that the connection takes.
    """
    short, new, long = timings.short, timings.new, timings.long
    if long.tokens.output - short.tokens.output < _FEWEST_TOKENS:
        return None
    fresh = new.tokens.input - new.tokens.cached - short.tokens.input
    reads = timings.rate(fresh, new.seconds - short.seconds)
    writes = timings.rate(long.tokens.output - short.tokens.output, long.seconds - short.seconds)
    reading = short.tokens.input / reads if reads else 0.0
    writing = short.tokens.output / writes if writes else 0.0
    gain = AT_ONCE * long.seconds / timings.at_once_s if timings.at_once_s else 1.0
    return Speed(
        latency_s=max(0.0, short.seconds - reading - writing),
        input_per_s=reads,
        output_per_s=writes,
        at_once=min(max(gain, 1.0), AT_ONCE),
    )


def speed_ability(speed: Speed | None) -> Ability:
    """Describes the speed in words."""
    if speed is None:
        return Ability(name="speed", state="unknown", detail=_TOO_SHORT)
    reads, writes = (
        "too fast to measure" if rate is None else f"{rate:,.0f} tokens a second"
        for rate in (speed.input_per_s, speed.output_per_s)
    )
    detail = f"in: {reads}; out: {writes}; {speed.latency_s:.2f} s more for each request"
    return Ability(name="speed", state="yes", detail=detail)


def at_once_ability(timings: Timings, speed: Speed | None, failure: str) -> Ability:
    """Describes how requests at once compare with the same requests one after another."""
    name = "requests at once"
    if speed is None or timings.at_once_s is None:
        return Ability(name=name, state="unknown", detail=failure or _TOO_SHORT)
    if speed.at_once < _GAIN:
        return Ability(name=name, state="no", detail=f"{AT_ONCE} at once took as long as one after another")
    detail = f"{AT_ONCE} at once were {speed.at_once:.1f} times as fast as one after another"
    return Ability(name=name, state="yes", detail=detail)


def cache_ability(timings: Timings) -> Ability:
    """Tells whether the server has a prefix cache: by the cached tokens that it reports, or by the time."""
    name, again = "prefix cache", timings.again
    if 2 * again.tokens.cached >= again.tokens.input > 0:
        detail = f"{again.tokens.cached:,} of {again.tokens.input:,} tokens of a repeated prompt were cached"
        return Ability(name=name, state="yes", detail=detail)
    first_s = timings.new.seconds - timings.short.seconds
    again_s = timings.again.seconds - timings.short.seconds
    if first_s <= timings.floor_s:
        detail = "no cached tokens are reported, and the server is too fast to tell by the time"
        return Ability(name=name, state="unknown", detail=detail)
    state: State = "yes" if again_s < first_s / 2 else "no"
    detail = f"a long prompt took {timings.new.seconds:.2f} s, and {again.seconds:.2f} s when it was repeated"
    return Ability(name=name, state=state, detail=detail)
