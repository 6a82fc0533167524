"""A real embedder for measuring: what it gave is remembered, also from run to run.

Embedding thousands of skills takes long on a CPU, and a search is measured without the model:
queries are embedded first, and found again by their text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import faiss
import numpy as np

from catalog.catalog import Catalog
from catalog.embedding import Embedder, EmbedderSettings, open_embedder
from catalog.embedding.filling import Filled

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors


class RememberingEmbedder:
    """Args:
    file: where vectors are kept between runs, for one model only.
    """

    def __init__(self, embedder: Embedder, file: Path | None) -> None:
        self._embedder = embedder
        self._file = file
        self._known: dict[str, Vectors] = {}
        self.model_id = embedder.model_id
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        if file is not None and file.exists():
            kept = np.load(file)
            if str(kept["model"]) == self.model_id:
                self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def keep(self) -> None:
        if self._file is not None:
            texts, vectors = list(self._known), np.stack(list(self._known.values()))
            np.savez(self._file, model=self.model_id, texts=np.array(texts), vectors=vectors)

    def flat_search(self, limit: int) -> Callable[[str], object]:
        """A plain exact FAISS search over all that was embedded, for comparison."""
        index = faiss.IndexFlatIP(self.dimension)
        index.add(np.stack(list(self._known.values())))
        return lambda query: index.search(self._known[query][None], limit)


def remembering_embedder(model: str, vectors: Path | None) -> RememberingEmbedder:
    """A sentence-transformers model from a folder or by name."""
    settings = EmbedderSettings("sentence-transformers", model)
    return RememberingEmbedder(open_embedder(settings), vectors)


def embed_catalog(
    catalog: Catalog, embedder: RememberingEmbedder, queries: Sequence[str]
) -> Filled:
    """Give vectors to every skill and to the queries, with the rate on standard error."""

    def say(filled: Filled) -> None:
        embedder.keep()
        print(f"{filled.skills} skills, {filled.texts_a_second:.0f} texts/s", file=sys.stderr)

    filled = catalog.embed_missing(progress=say)
    embedder.embed(queries)
    embedder.keep()
    return filled
