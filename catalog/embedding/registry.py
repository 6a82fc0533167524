"""An embedder from what the operator has set.

Each kind is an entry point of the group `skillcatalog.embedders`: a function that takes an
`EmbedderSettings` and gives an `Embedder`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import entry_points

from catalog.embedding.embedder import Embedder
from catalog.errors import EmbedderUnavailable, InvalidConfiguration

ENTRY_POINTS = "skillcatalog.embedders"
DEFAULT_BATCH_SIZE = 32
DEFAULT_TIMEOUT_SECONDS = 30.0


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
    kinds = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
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
