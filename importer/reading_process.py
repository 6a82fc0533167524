"""The program of a process that reads skills for another: batches in, the same batches ready out.

It is started by `importer.reading_ahead` alone.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from typing import IO


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Answers until there is no more to read, or nobody to answer."""
    while True:
        try:
            indexed, skills = pickle.load(source)
        except EOFError:
            return
        ready = [skill.ready(indexed=indexed) for skill in skills]
        try:
            pickle.dump(ready, sink, pickle.HIGHEST_PROTOCOL)
            sink.flush()
        except BrokenPipeError:
            return


if __name__ == "__main__":
    # Ctrl-C is for the process that started this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Little is garbage here, and what was imported never is.
    gc.freeze()
    gc.set_threshold(100_000)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A stray print is not to land among the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)
