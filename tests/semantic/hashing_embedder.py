"""An embedder for tests that needs no model: words hashed into a few dimensions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class HashingEmbedder:
    """Texts that share words are near. Another seed gives another space of the same dimension."""

    max_tokens = 200

    def __init__(self, seed: int = 1, dimension: int = 64) -> None:
        self.model_id = f"hashing-{seed}"
        self.dimension = dimension
        self._seed = seed
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        found = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                found[row] += self._direction(word)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def _direction(self, word: str) -> NDArray[np.float32]:
        digest = hashlib.sha256(f"{self._seed} {word}".encode()).digest()
        generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        return generator.standard_normal(self.dimension).astype(np.float32)
