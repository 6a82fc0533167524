"""Any HTTP endpoint that speaks the embeddings call of the OpenAI API."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from catalog.embedding.embedder import unit_length
from catalog.embedding.registry import EmbedderSettings
from catalog.errors import EmbedderUnavailable, InvalidConfiguration

if TYPE_CHECKING:
    from catalog.embedding.embedder import Vectors

MAX_TEXTS_A_REQUEST = 2_048
MAX_CHARACTERS_A_REQUEST = 200_000
"""Endpoints bound the tokens of a request; no text has more tokens than characters times
two, so this is well under what they take."""
TRIES = 4
DEFAULT_MAX_TOKENS = 512
_FIRST_WAIT_SECONDS = 0.25
_LONGEST_WAIT_SECONDS = 8.0
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class OpenAiCompatibleEmbedder:
    """A model behind `POST {url}/embeddings`.

    Its id is the model's name: the endpoint answers for what it serves under it. Failures
    that may pass (no connection, a timeout, 408, 409, 425, 429, 5xx) are tried again up to 3
    times, after the wait that the endpoint asks for or an ever longer one.

    Raises:
        InvalidConfiguration: the URL or the model is missing.
        EmbedderUnavailable: the dimension is not set and the endpoint cannot be asked.
    """

    def __init__(self, settings: EmbedderSettings) -> None:
        for name, value in (("embedder_url", settings.url), ("embedder_model", settings.model)):
            if not value:
                raise InvalidConfiguration(f"{name} is missing", field=name)
        self.model_id = settings.model
        self.max_tokens = settings.max_tokens or DEFAULT_MAX_TOKENS
        self._batch_size = min(settings.batch_size, MAX_TEXTS_A_REQUEST)
        headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        self._url = f"{str(settings.url).rstrip('/')}/embeddings"
        try:
            self._client = httpx.Client(headers=headers, timeout=settings.timeout_seconds)
            self._client.build_request("POST", self._url)
        except (httpx.InvalidURL, ValueError) as error:
            raise InvalidConfiguration("embedder_url is no URL", field="embedder_url") from error
        self.dimension = settings.dimension or len(self._asked(["dimension"])[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [row for batch in self._batches(texts) for row in self._asked(batch)]
        if any(len(row) != self.dimension for row in rows):
            raise EmbedderUnavailable(
                f"the embedding endpoint gave a vector of another dimension than {self.dimension}",
                model=self.model_id,
            )
        return unit_length(np.array(rows, np.float32).reshape(len(rows), self.dimension))

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        batches: list[list[str]] = []
        room = 0
        for text in texts:
            if not batches or len(batches[-1]) == self._batch_size or len(text) > room:
                batches.append([])
                room = MAX_CHARACTERS_A_REQUEST
            batches[-1].append(text)
            room -= len(text)
        return batches

    def _asked(self, texts: list[str]) -> list[list[float]]:
        reason, wait = "", _FIRST_WAIT_SECONDS
        for attempt in range(TRIES):
            if attempt:
                time.sleep(wait * random.uniform(0.5, 1.0))
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
            try:
                response = self._client.post(
                    self._url, json={"model": self.model_id, "input": texts}
                )
            except httpx.HTTPError as error:
                reason = f"it cannot be reached ({type(error).__name__})"
                continue
            if response.status_code == httpx.codes.OK:
                return _rows(response, len(texts))
            reason = f"it answers with status {response.status_code}"
            if response.status_code not in _TRY_AGAIN:
                break
            wait = _asked_wait(response, wait)
        raise EmbedderUnavailable(f"the embedding endpoint fails: {reason}", model=self.model_id)


def _asked_wait(response: httpx.Response, wait: float) -> float:
    asked = response.headers.get("retry-after", "")
    return min(float(asked), _LONGEST_WAIT_SECONDS) if asked.isdecimal() else wait


def _rows(response: httpx.Response, count: int) -> list[list[float]]:
    """The vectors in the order of the texts.

    Raises:
        EmbedderUnavailable: the answer is not one list of numbers for each text.
    """
    try:
        items: Any = response.json()["data"]
        found = {item["index"]: [float(value) for value in item["embedding"]] for item in items}
        rows = [found[index] for index in range(count)]
    except (ValueError, KeyError, TypeError) as error:
        raise EmbedderUnavailable(
            f"the embedding endpoint's answer is not one vector for each of {count} texts"
        ) from error
    return rows
