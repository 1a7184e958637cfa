"""Counts what the server does, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """The counters of one server. Labels are few and known: no label holds what a caller sent."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "rarr_requests", "Requests that were answered", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "rarr_request_seconds",
            "Seconds of a request",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.in_flight = Gauge("rarr_requests_in_flight", "Requests under way", registry=self.registry)
        self.left = Counter("rarr_clients_left", "Clients that left before the end", registry=self.registry)
        self.jobs = Counter(
            "rarr_jobs", "Texts that were worked on", ["task", "outcome"], registry=self.registry
        )
        self.job_seconds = Histogram(
            "rarr_job_seconds",
            "Seconds of a text, with waiting",
            ["task"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.upstream_failures = Counter(
            "rarr_upstream_failures", "Requests that failed upstream", ["kind"], registry=self.registry
        )
        self.workers_replaced = Gauge(
            "rarr_workers_replaced", "Worker processes that died and were replaced", registry=self.registry
        )

    def page(self) -> bytes:
        """Returns all counters in the text format of Prometheus."""
        return generate_latest(self.registry)
