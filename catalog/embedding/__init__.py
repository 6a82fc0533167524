"""Meaning as vectors: embedders, what of a skill is embedded, and keeping vectors true.

Nothing here is imported by a catalog without an embedder: it needs the extra `semantic`.
"""

from catalog.embedding.embedder import Embedder, space_of
from catalog.embedding.registry import EmbedderSettings, open_embedder
from catalog.stores.vectors import VectorSpace

__all__ = ["Embedder", "EmbedderSettings", "VectorSpace", "open_embedder", "space_of"]
