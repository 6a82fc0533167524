"""How often skills are handed out, counted beside the requests that hand them out."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from catalog.card import StoredSkill
from catalog.errors import StoreUnavailable
from catalog.identity import Identity, Role
from catalog.scope import Scope
from catalog.stores.store import SkillStore

SECONDS_BETWEEN_WRITES = 2.0


class UsageLog:
    """Gathers uses in memory and writes them from a thread of its own.

    A request only adds to a counter; a crash loses the uses of the last seconds, and
    nothing else depends on them.
    """

    def __init__(self, store: SkillStore) -> None:
        self._store = store
        self._uses: Counter[tuple[Scope, str]] = Counter()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def record(self, skills: Iterable[StoredSkill]) -> None:
        with self._lock:
            for stored in skills:
                self._uses[stored.scope, stored.skill.qualified_name] += 1
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="usage", daemon=True)
                self._thread.start()

    def write(self) -> None:
        """Write what is gathered, one transaction a tenant."""
        with self._lock:
            uses, self._uses = self._uses, Counter()
        now = time.time()
        for tenant in {scope.tenant for scope, _ in uses}:
            # The global scope belongs to no tenant, and only an admin may write into it.
            roles = frozenset({Role.READER if tenant else Role.ADMIN})
            actor = Identity(tenant or "global", "skillcatalog", "usage", roles=roles)
            with self._store.write(actor) as writer:
                for (scope, name), count in uses.items():
                    if scope.tenant == tenant:
                        writer.count_uses(scope, name, count, now)

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        with suppress(StoreUnavailable):
            self.write()

    def _run(self) -> None:
        while not self._closing.wait(SECONDS_BETWEEN_WRITES):
            try:
                self.write()
            except StoreUnavailable:
                # Use counts are not worth a fault; the next round writes new ones.
                continue
