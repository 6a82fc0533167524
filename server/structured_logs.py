"""Logs for programs: one JSON object a line on standard error, with the request's id.

A line never holds a body, and a query only as a hash with a key that dies with the process,
so that lines of one query are found together and nobody can guess it back; at level debug
the query itself is there.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import sys

import structlog

_KEY = secrets.token_bytes(16)
_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def configure_logs(level: str) -> None:
    """Send the server's logs to standard error from `level` on."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Local variables would be bodies and queries.
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    # gRPC's own Python logger writes tracebacks of handlers to standard error as text.
    logging.getLogger("grpc").setLevel(logging.CRITICAL)


def query_for_logs(query: str, level: str) -> str:
    """How a query may stand in a line."""
    if level == "debug":
        return query
    return hashlib.blake2b(query.encode(errors="replace"), key=_KEY, digest_size=8).hexdigest()
