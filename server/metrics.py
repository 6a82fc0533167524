"""What the server counts, for Prometheus, on a port of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from catalog.errors import InvalidConfiguration, SkillCatalogError
from catalog.injection.cards import card_line
from catalog.injection.redaction import default_rules
from catalog.injection.redaction.masking import placeholder_spans
from catalog.requests import GetAnswer
from catalog.search.request import SearchAnswer
from importer.report import ImportReport

_ENTITIES = frozenset(rule.entity for rule in default_rules())
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)


Metric = TypeVar("Metric", Counter, Histogram)


class _Labelled(Generic[Metric]):
    """A metric by its labels. Its own `labels` takes a lock and builds a key each time; the
    sets of labels are few."""

    def __init__(self, metric: Metric) -> None:
        self._metric: Metric = metric
        self._children: dict[tuple[str, ...], Metric] = {}

    def __call__(self, *labels: str) -> Metric:
        child = self._children.get(labels)
        if child is None:
            child = self._children[labels] = self._metric.labels(*labels)
        return child


class Metrics:
    """One registry, so that several servers of a process count apart."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = _Labelled(
            Counter(
                "skillcatalog_requests",
                "Calls by RPC and status code.",
                ("rpc", "code"),
                registry=self.registry,
            )
        )
        self._seconds = _Labelled(
            Histogram(
                "skillcatalog_request_seconds",
                "Time from the call's arrival to its answer, by RPC.",
                ("rpc",),
                buckets=_SECONDS,
                registry=self.registry,
            )
        )
        self._refusals = _Labelled(
            Counter(
                "skillcatalog_refusals",
                "Calls refused, by reason.",
                ("reason",),
                registry=self.registry,
            )
        )
        self._unrecorded = Counter(
            "skillcatalog_refusals_summarised",
            "Refusals that the audit trail holds only as a count.",
            registry=self.registry,
        )
        self._tokens = _Labelled(
            Counter(
                "skillcatalog_tokens_served",
                "Tokens of the text handed out, by RPC.",
                ("rpc",),
                registry=self.registry,
            )
        )
        self._redactions = _Labelled(
            Counter(
                "skillcatalog_redactions",
                "Values masked in answers, by what they were.",
                ("entity",),
                registry=self.registry,
            )
        )
        self._steps = _Labelled(
            Histogram(
                "skillcatalog_step_seconds",
                "Time of the steps of searches and gets that were not remembered.",
                ("step",),
                buckets=(0.0001, 0.00025, *_SECONDS),
                registry=self.registry,
            )
        )
        self._rungs = _Labelled(
            Counter(
                "skillcatalog_search_hits",
                "Hits by the rung of the ladder that found them.",
                ("rung",),
                registry=self.registry,
            )
        )
        self._imported = _Labelled(
            Counter(
                "skillcatalog_imported_skills",
                "Skills of imports by what became of them.",
                ("change",),
                registry=self.registry,
            )
        )
        self.ready = Gauge(
            "skillcatalog_ready", "1 while the server says SERVING.", registry=self.registry
        )
        self.port = 0

    def watch(self, name: str, what: str, value: Callable[[], float]) -> None:
        """A gauge that is read when it is asked for; not a number while its store fails."""

        def known() -> float:
            try:
                return value()
            except SkillCatalogError:
                return math.nan

        Gauge(f"skillcatalog_{name}", what, registry=self.registry).set_function(known)

    def call_ended(self, rpc: str, code: str, seconds: float) -> None:
        self._requests(rpc, code).inc()
        self._seconds(rpc).observe(seconds)

    def refused(self, reason: str) -> None:
        self._refusals(reason).inc()

    def refusals_summarised(self, count: int) -> None:
        self._unrecorded.inc(count)

    def step_ended(self, step: str, seconds: float) -> None:
        self._steps(step).observe(seconds)

    def served(self, rpc: str, tokens: int) -> None:
        self._tokens(rpc).inc(tokens)

    def searched(self, answer: SearchAnswer) -> None:
        self.served("SkillSearch", answer.tokens)
        if answer.redactions:
            self._masked(card_line(hit.card) + hit.snippet for hit in answer.hits)
        for report in answer.rungs:
            self._rungs(report.rung.value).inc(report.hits)

    def got(self, answer: GetAnswer) -> None:
        self.served("SkillGet", answer.tokens)
        if answer.redactions:
            self._masked((answer.text,))

    def imported(self, report: ImportReport) -> None:
        for pack in report.packs:
            for change in ("added", "updated", "unchanged", "removed", "deleted_here", "refused"):
                self._imported(change).inc(getattr(pack, change))

    def _masked(self, texts: Iterable[str]) -> None:
        for text in texts:
            for start, end in placeholder_spans(text):
                # An author may write what looks like one; the label has few values still.
                entity = text[start:end].removeprefix("[REDACTED:").removesuffix("]")
                self._redactions(entity if entity in _ENTITIES else "other").inc()

    def serve(self, host: str, port: int) -> Callable[[], None]:
        """Answer Prometheus on `port` (0 takes a free one, and `self.port` says which);
        returns what stops it.

        Raises:
            InvalidConfiguration: the port is taken or not allowed.
        """
        try:
            server, thread = start_http_server(port, addr=host, registry=self.registry)
            self.port = server.server_port
        except OSError as error:
            raise InvalidConfiguration(
                f"metrics cannot listen on {host}:{port}: {error.strerror}", field="metrics_port"
            ) from error

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return stop
