"""Generate the stubs beside the proto: `python proto/generate.py`.

With `--check` it writes nothing and fails when the committed stubs are not what the proto
gives.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

HERE = Path(__file__).parent
SOURCE = HERE / "skillcatalog" / "v1" / "skillcatalog.proto"

# protoc looks for its plugins on the path, where an environment need not be to be used.
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


def generate(into: Path) -> list[Path]:
    """Write the stubs below a folder and return their paths relative to it."""
    code = protoc.main(
        [
            "protoc",
            f"--proto_path={HERE}",
            f"--python_out={into}",
            f"--mypy_out=quiet:{into}",
            f"--grpc_python_out={into}",
            f"--mypy_grpc_out=quiet:{into}",
            str(SOURCE),
        ]
    )
    if code != 0:
        raise SystemExit(code)
    return sorted(path.relative_to(into) for path in into.rglob("*_pb2*"))


def stale() -> list[str]:
    """The generated files that differ from the committed ones."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder)
        return [
            str(path)
            for path in generate(into)
            if not (HERE / path).exists() or (HERE / path).read_text() != (into / path).read_text()
        ]


if __name__ == "__main__":
    if "--check" in sys.argv:
        different = stale()
        if different:
            raise SystemExit(f"stale, run python proto/generate.py: {', '.join(different)}")
    else:
        generate(HERE)
