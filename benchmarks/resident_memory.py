"""What a process holds in memory, as Linux tells it."""

from __future__ import annotations

import re
from pathlib import Path


def resident_megabytes(process_id: int) -> float:
    """Its pages in memory now, those of libraries that lie in files included."""
    status = Path(f"/proc/{process_id}/status").read_text()
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    assert found is not None, "every living process has it"
    return int(found[1]) / 1024
