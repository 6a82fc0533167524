"""The seam of an embedder, and the check that every vector passes.

An embedder of one's own is a class of these four members in any package, made by a function
that the package registers as an entry point of the group `skillcatalog.embedders`::

    class Letters:
        model_id, dimension, max_tokens = "letters-1", 26, 100_000

        def embed(self, texts):
            counts = [[text.count(letter) for letter in ascii_lowercase] for text in texts]
            found = numpy.array(counts, numpy.float32) + 0.01
            return found / numpy.linalg.norm(found, axis=1, keepdims=True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from catalog.embedding.skill_texts import TEXTS_VERSION
from catalog.errors import EmbedderUnavailable
from catalog.stores.vectors import VectorSpace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

LENGTH_TOLERANCE = 1e-3
"""How far the length of a vector may be from 1."""


class Embedder(Protocol):
    """Texts in, vectors of unit length out. Called from several threads at once.

    `model_id` names the model so that two that give different vectors never have the same
    one; `max_tokens` is how much of a text it reads.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One float32 row of length 1 for each text, [len(texts), dimension].

        Raises:
            EmbedderUnavailable: it cannot answer now; the message says why.
        """


def space_of(embedder: Embedder) -> VectorSpace:
    return VectorSpace(embedder.model_id, embedder.dimension, TEXTS_VERSION)


def embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors of the texts, checked.

    Raises:
        EmbedderUnavailable: the embedder fails, or gives something else than one finite
            vector of unit length and its own dimension for each text.
    """
    import numpy as np

    given = embedder.embed(texts)
    try:
        found = np.ascontiguousarray(given, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailable("the embedder gave something that is no matrix") from error
    wanted = (len(texts), embedder.dimension)
    if found.shape != wanted:
        raise EmbedderUnavailable(
            f"the embedder gave an array of shape {found.shape} where {wanted} is due",
            model=embedder.model_id,
        )
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= LENGTH_TOLERANCE))
    if wrong.size:
        length = lengths[wrong[0]]
        said = f"length {length:.3g}" if np.isfinite(length) else "a value that is not finite"
        raise EmbedderUnavailable(
            f"the embedder gave a vector of {said} where length 1 is due", model=embedder.model_id
        )
    return found


def unit_length(vectors: Vectors) -> Vectors:
    """The vectors scaled to length 1; those that are zero or not finite stay, to be refused."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    usable = (lengths > 0) & np.isfinite(lengths)
    return (vectors / np.where(usable, lengths, 1)).astype(np.float32)
