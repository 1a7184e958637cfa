"""Counts the requests, tokens, cost and seconds of one run for each node, and enforces the limits of the run.

Context variables hold the meter of the run and the name of the running node. So a model that several runs
share finds the meter of the run that asks, and no function needs a parameter for the meter.
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
    """The limits of one run; None means no limit. `max_cost` is in the unit of the prices."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None


@dataclass
class Meter:
    """Counts the usage of one run, and refuses requests beyond its `budget`.

    `memo` keeps results during the run, such as the answer to a question. A resumed run continues a killed
    run: `answers` returns the killed run's answer to a request, and `before_s` is the killed run's duration.
    `text` is the text of the run with its context. By this text, a source chooses between equal names.
    `share`: the finished part of a long text, from 0 to 1. `ended`: the limit that was reached, or "".
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
    _returned_warning_count: int = 0

    @property
    def total(self) -> NodeUsage:
        """Returns the usage of all nodes together."""
        return sum(self.by_node.values(), NodeUsage())

    def add_usage(self, **more: Any) -> None:
        """Adds `more` (numbers for fields of `NodeUsage`) to the usage of the running node."""
        node = _NODE.get()
        self.by_node[node] = self.by_node.get(node, NodeUsage()) + NodeUsage(**more)

    @property
    def seconds(self) -> float:
        """Returns the duration of the run until now. A resumed run adds the duration of the killed run."""
        return self.before_s + _clock() - self._started

    @property
    def remaining_s(self) -> float | None:
        """Returns the seconds until the deadline; None without a deadline."""
        limit = self.budget.deadline_s
        return None if limit is None else limit - self.seconds

    @property
    def grace_s(self) -> float:
        """Returns the seconds after the deadline in which the run may still put its results together."""
        return min(0.1 * (self.budget.deadline_s or 0.0), _LONGEST_GRACE_S)

    @property
    def is_exhausted(self) -> bool:
        """Tells whether the requests, tokens, cost or seconds of the run have reached a limit."""
        spent, limits = self._spent_by_limit() | {"deadline_s": self.seconds}, asdict(self.budget)
        return any(limit is not None and spent[name] >= limit for name, limit in limits.items())

    @property
    def is_over(self) -> bool:
        """Tells whether the deadline has passed or a limit refused a request. Then no more work may start."""
        if self.remaining_s is not None and self.remaining_s <= 0:
            self.ended = "deadline_s"
        return bool(self.ended)

    @contextmanager
    def step(self, node: str) -> Iterator[None]:
        """Counts the `with` block as a call of `node`, with the seconds and the requests of the block."""
        started = time.perf_counter()
        with trace_spans.set_in_block(_NODE, node):
            try:
                yield
            finally:
                self.add_usage(calls=1, seconds=time.perf_counter() - started)

    @contextmanager
    def request(self, expected: int, cost: float = 0.0) -> Iterator[None]:
        """Counts the `with` block as a request. Raises `BudgetError` if the request would exceed a limit.

        The estimates `expected` (tokens) and `cost` count until the block ends; `spend` adds the true values.
        """
        self._tokens_under_way += expected
        self._cost_under_way += cost
        try:
            more = (1, self._tokens_under_way, self._cost_under_way)
            for (name, spent), beside in zip(self._spent_by_limit().items(), more, strict=True):
                limit = getattr(self.budget, name)
                if limit is not None and spent + beside > limit:
                    raise self._limit_error(name, f"{name} ({limit:.15g}) would be passed")
            self.add_usage(model_calls=1)
            yield
        finally:
            self._tokens_under_way -= expected
            self._cost_under_way -= cost

    def spend(self, tokens: Tokens, cost: float | None) -> None:
        """Adds the tokens and the cost of a finished request to the usage."""
        self.add_usage(**{f"{kind}_tokens": count for kind, count in tokens._asdict().items()}, cost=cost)

    def warn(self, code: str, message: str) -> None:
        """Adds a warning, unless the run has a warning with the same code and message already."""
        notice = Notice(code=code, message=message, node=_NODE.get())
        if (code, notice.message) not in ((warning.code, warning.message) for warning in self.warnings):
            self.warnings.append(notice)
        trace_spans.current_body().setdefault("warnings", []).append((code, notice.message))

    def new_warnings(self) -> list[Notice]:
        """Returns the warnings since the last call of this method."""
        new, self._returned_warning_count = self.warnings[self._returned_warning_count :], len(self.warnings)
        return new

    @asynccontextmanager
    async def in_time(self, grace: float = 0.0) -> AsyncIterator[None]:
        """Cancels the `with` block `grace` seconds after the run's deadline, and raises `BudgetError`."""
        left = None if self.remaining_s is None else self.remaining_s + grace
        late = f"deadline_s ({self.budget.deadline_s or 0.0:g}) is over"
        if left is not None and left <= 0:
            raise self._limit_error("deadline_s", late)
        async with time_limit(left, lambda: self._limit_error("deadline_s", late)):
            yield

    def _spent_by_limit(self) -> dict[str, float]:
        spent = self.total
        tokens = spent.input_tokens + spent.output_tokens
        return {"max_calls": spent.model_calls, "max_tokens": tokens, "max_cost": spent.cost or 0.0}

    def _limit_error(self, setting: str, reason: str) -> BudgetError:
        self.ended = setting
        return BudgetError(f"{reason}: raise it for more")


METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def using_meter(meter: Meter) -> AbstractContextManager[Meter]:
    """Counts the requests, tokens and cost of the `with` block in `meter`."""
    return trace_spans.set_in_block(METER, meter)


def meter() -> Meter:
    """Returns the meter of the current run. Outside of a run, returns a new meter without limits."""
    return METER.get() or Meter()
