"""Models of the sentence-transformers library, from a folder or by name."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.embedding.embedder import unit_length
from catalog.embedding.registry import EmbedderSettings
from catalog.errors import EmbedderUnavailable, InvalidConfiguration

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors

_OFFLINE = "HF_HUB_OFFLINE"
_LOG = logging.getLogger(__name__)


class SentenceTransformersEmbedder:
    """A loaded model. Its id holds a hash of its weights: the same name with other weights
    is another model.

    Raises:
        InvalidConfiguration: no model is named.
        EmbedderUnavailable: the model is not there or cannot be loaded.
    """

    def __init__(self, settings: EmbedderSettings) -> None:
        if not settings.model:
            raise InvalidConfiguration(
                "embedder_model is missing: a folder or the name of a model",
                field="embedder_model",
            )
        self._batch_size = settings.batch_size
        self._model = _loaded(settings.model, settings.device)
        # The first call is slower than others: it is behind us before any request.
        self.dimension = int(self._model.encode(["first"], convert_to_numpy=True).shape[1])
        self.max_tokens = int(self._model.max_seq_length or 512)
        name = Path(settings.model).name
        self.model_id = f"{name}@{_weights_hash(self._model)}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        try:
            vectors: Vectors = self._model.encode(
                list(texts),
                batch_size=self._batch_size,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        except RuntimeError as error:
            raise EmbedderUnavailable(
                f"the model failed: {str(error).splitlines()[0]}", model=self.model_id
            ) from error
        return unit_length(vectors)


def _loaded(model: str, device: str | None) -> Any:
    folder = Path(model).expanduser()
    is_local = folder.is_dir()
    if not is_local and (folder.is_absolute() or model.startswith((".", "~"))):
        raise EmbedderUnavailable(
            f"there is no model folder '{folder.name}' at the path that embedder_model names"
        )
    with _offline() if is_local else nullcontext():
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(
                str(folder) if is_local else model, device=device, local_files_only=is_local
            )
        except (OSError, ValueError, RuntimeError) as error:
            _LOG.warning("loading an embedding model failed", exc_info=error)
            raise EmbedderUnavailable(
                f"the model '{folder.name}' cannot be loaded ({type(error).__name__})"
                + ("" if is_local else ": it is neither a folder nor in reach by its name")
            ) from error


@contextmanager
def _offline() -> Iterator[None]:
    """No connection attempt: the hub's client reads this when it is imported."""
    before = os.environ.get(_OFFLINE)
    os.environ[_OFFLINE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_OFFLINE]
        else:
            os.environ[_OFFLINE] = before


def _weights_hash(model: Any) -> str:
    import torch

    digest = hashlib.sha256(f"{model.max_seq_length}".encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()[:12]
