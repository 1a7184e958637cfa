"""Counts the calls, tokens, cost and seconds of one run, by node, and enforces the limits of the run.

The run's meter and the running node are context variables. So a model that many runs share finds the meter of
the run that asks, and no interface passes the meter on.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

from rarr.errors import BudgetError
from rarr.records import Notice
from rarr.records.base import NodeUsage
from rarr.tools import trace_spans
from rarr.tools.concurrency import time_limit
from rarr.tools.models.chat import Answer, ChatRequest, Tokens

_LONGEST_GRACE_S = 2.0
_clock = time.perf_counter
_NODE: ContextVar[str] = ContextVar("node", default="")


@dataclass(frozen=True)
class Budget:
    """Limits of one run; None means no limit. The cost is in the unit of the prices."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None


@dataclass
class Meter:
    """Counts the usage of one run, and refuses requests beyond its `budget`.

    `memo` has the answers so far, for equal questions. In a resumed run, `answers` finds the answer that a
    model gave in the first part, and `before_s` are the seconds of the first part. `text` is the text of the
    run with its context, by which a source tells entities of one name apart. `share` is the part of a long
    text that is done. `ended` is the setting whose limit refused a request or ended the run, else empty.
    """

    budget: Budget = field(default_factory=Budget)
    answers: Callable[[str, ChatRequest], Answer | None] | None = None
    before_s: float = 0.0
    text: str = ""
    by_node: dict[str, NodeUsage] = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict)
    warnings: list[Notice] = field(default_factory=list)
    share: float = 0.0
    ended: str = ""
    _tokens_under_way: int = 0
    _cost_under_way: float = 0.0
    _started: float = field(default_factory=lambda: _clock())
    _taken: int = 0  # warnings

    @property
    def total(self) -> NodeUsage:
        """The usage of all nodes together."""
        return sum(self.by_node.values(), NodeUsage())

    def add_usage(self, **more: Any) -> None:
        """Adds these numbers to the usage of the running node."""
        node = _NODE.get()
        self.by_node[node] = self.by_node.get(node, NodeUsage()) + NodeUsage(**more)

    @property
    def seconds(self) -> float:
        """The seconds that the run has taken."""
        return self.before_s + _clock() - self._started

    @property
    def remaining_s(self) -> float | None:
        """The seconds until the deadline; None without a deadline."""
        limit = self.budget.deadline_s
        return None if limit is None else limit - self.seconds

    @property
    def grace_s(self) -> float:
        """The seconds after the deadline in which a run may still put its results together."""
        return min(0.1 * (self.budget.deadline_s or 0.0), _LONGEST_GRACE_S)

    @property
    def is_exhausted(self) -> bool:
        """Tells whether the requests, tokens, cost or time spent so far have reached a limit."""
        spent, limits = self._spent() | {"deadline_s": self.seconds}, asdict(self.budget)
        return any(limit is not None and spent[name] >= limit for name, limit in limits.items())

    @property
    def is_over(self) -> bool:
        """Tells whether the deadline is over or a limit refused a request: then nothing more may start."""
        if self.remaining_s is not None and self.remaining_s <= 0:
            self.ended = "deadline_s"
        return bool(self.ended)

    @contextmanager
    def step(self, node: str) -> Iterator[None]:
        """Counts the block as a call of `node`, with its seconds. Requests in the block count for `node`."""
        started = time.perf_counter()
        with trace_spans.holding(_NODE, node):
            try:
                yield
            finally:
                self.add_usage(calls=1, seconds=time.perf_counter() - started)

    @contextmanager
    def request(self, expected: int, cost: float = 0.0) -> Iterator[None]:
        """Counts the block as a request of about `expected` tokens. Raises `BudgetError` beyond a limit.

        Requests under way count with their expected tokens, so that all together stay within the limit.
        """
        self._tokens_under_way += expected
        self._cost_under_way += cost
        try:
            more = (1, self._tokens_under_way, self._cost_under_way)
            for (name, spent), beside in zip(self._spent().items(), more, strict=True):
                limit = getattr(self.budget, name)
                if limit is not None and spent + beside > limit:
                    raise self._over(name, f"{name} ({limit:.15g}) would be passed")
            self.add_usage(model_calls=1)
            yield
        finally:
            self._tokens_under_way -= expected
            self._cost_under_way -= cost

    def spend(self, tokens: Tokens, cost: float | None) -> None:
        """Counts the tokens and the cost of a request."""
        self.add_usage(**{f"{kind}_tokens": count for kind, count in tokens._asdict().items()}, cost=cost)

    def warn(self, code: str, message: str) -> None:
        """Adds a warning to the run's revision, unless it has a warning with the same code and message."""
        notice = Notice(code=code, message=message, node=_NODE.get())
        if (code, notice.message) not in ((warning.code, warning.message) for warning in self.warnings):
            self.warnings.append(notice)
        trace_spans.current_body().setdefault("warnings", []).append((code, notice.message))

    def new_warnings(self) -> list[Notice]:
        """Returns the warnings that no earlier call of this method returned."""
        new, self._taken = self.warnings[self._taken :], len(self.warnings)
        return new

    @asynccontextmanager
    async def in_time(self, grace: float = 0.0) -> AsyncIterator[None]:
        """Cancels the `with` block `grace` seconds after the run's deadline, and raises `BudgetError`."""
        left = None if self.remaining_s is None else self.remaining_s + grace
        late = f"deadline_s ({self.budget.deadline_s or 0.0:g}) is over"
        if left is not None and left <= 0:
            raise self._over("deadline_s", late)
        async with time_limit(left, lambda: self._over("deadline_s", late)):
            yield

    def _spent(self) -> dict[str, float]:
        spent = self.total
        tokens = spent.input_tokens + spent.output_tokens
        return {"max_calls": spent.model_calls, "max_tokens": tokens, "max_cost": spent.cost or 0.0}

    def _over(self, setting: str, reason: str) -> BudgetError:
        self.ended = setting
        return BudgetError(f"{reason}: raise it for more")


METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def using_meter(meter: Meter) -> AbstractContextManager[Meter]:
    """Makes `meter` the meter that counts the requests, tokens and cost of the block."""
    return trace_spans.holding(METER, meter)


def meter() -> Meter:
    """Returns the meter of the current run. Outside of a run, returns a new meter without limits."""
    return METER.get() or Meter()
