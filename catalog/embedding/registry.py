"""An embedder from what the operator has set.

A kind is a function that takes an `EmbedderSettings` and gives an `Embedder`. The catalog has
two; packages add theirs as entry points of the group `skillcatalog.embedders`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from catalog.embedding.embedder import Embedder
from catalog.errors import EmbedderUnavailable, InvalidConfiguration

ENTRY_POINTS: Final = "skillcatalog.embedders"
OWN: Final = tuple(
    EntryPoint(name, f"catalog.embedding.{target}", ENTRY_POINTS)
    for name, target in (
        ("sentence-transformers", "sentence_transformers:SentenceTransformersEmbedder"),
        ("openai-compatible", "openai_compatible:OpenAiCompatibleEmbedder"),
    )
)
DEFAULT_BATCH_SIZE: Final = 32
DEFAULT_TIMEOUT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Args:
    kind: name of the entry point, as `sentence-transformers` or `openai-compatible`.
    model: a folder or the name of a model.
    device: where it runs, as `cpu` or `cuda:1`; None lets the library choose.
    batch_size: texts that are embedded at once.
    url: base URL of an endpoint, up to and without `/embeddings`.
    api_key: bearer token of the endpoint.
    dimension: of the vectors, where the endpoint need not be asked for it.
    max_tokens: of a text, where the model does not tell.
    timeout_seconds: of one request to an endpoint.
    """

    kind: str
    model: str
    device: str | None = None
    batch_size: int = DEFAULT_BATCH_SIZE
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    dimension: int | None = None
    max_tokens: int | None = None
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS


def open_embedder(settings: EmbedderSettings) -> Embedder:
    """Load the embedder; it may take a while, so never in a request.

    Raises:
        InvalidConfiguration: no embedder of that kind is installed, or a setting is wrong.
        EmbedderUnavailable: the model or the endpoint is not there.
    """
    if settings.batch_size < 1:
        raise InvalidConfiguration(
            f"embedder_batch_size is {settings.batch_size}; it takes 1 or more",
            field="embedder_batch_size",
        )
    kinds = {point.name: point for point in (*OWN, *entry_points(group=ENTRY_POINTS))}
    point = kinds.get(settings.kind)
    if point is None:
        known = ", ".join(sorted(kinds)) or "none"
        raise InvalidConfiguration(
            f"there is no embedder of that kind; installed kinds: {known}", field="embedder"
        )
    try:
        make: Callable[[EmbedderSettings], Embedder] = point.load()
        return make(settings)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"embedder '{settings.kind}' lacks the package '{error.name}': "
            "pip install 'skillcatalog[semantic]'",
            embedder=settings.kind,
        ) from error
