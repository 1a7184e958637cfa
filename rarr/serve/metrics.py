"""Counts what the server does, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """The counters of one server. Labels are few and known: no label holds what a caller sent."""

    def __init__(self) -> None:
        own = self.registry = CollectorRegistry()
        self.requests = Counter("rarr_requests", "Requests answered", ["route", "status"], registry=own)
        self.seconds = Histogram(
            "rarr_request_seconds", "Seconds of a request", ["route"], buckets=_SECONDS, registry=own
        )
        self.in_flight = Gauge("rarr_requests_in_flight", "Requests under way", registry=own)
        self.left = Counter("rarr_clients_left", "Clients that left before the end", registry=own)
        self.jobs = Counter("rarr_jobs", "Texts that were worked on", ["task", "outcome"], registry=own)
        self.job_seconds = Histogram(
            "rarr_job_seconds", "Seconds of a text, with waiting", ["task"], buckets=_SECONDS, registry=own
        )
        self.upstream_failures = Counter(
            "rarr_upstream_failures", "Requests that failed upstream", ["kind"], registry=own
        )
        self.workers_replaced = Gauge(
            "rarr_workers_replaced", "How often the worker processes were replaced", registry=own
        )

    def page(self) -> bytes:
        """Returns all counters in the text format of Prometheus."""
        return generate_latest(self.registry)
