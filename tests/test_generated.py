"""Generated files are what their generators give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("generator", ["proto/generate.py", "docs/generate.py"])
def test_committed_files_are_current(generator: str) -> None:
    check = subprocess.run(
        [sys.executable, generator, "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stderr
