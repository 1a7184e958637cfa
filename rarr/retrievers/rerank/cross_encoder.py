"""Reranks with a sentence-transformers cross-encoder: it reads query and passage together (extra `torch`)."""

import asyncio
import threading
from collections.abc import Sequence

from rarr.errors import SettingsError, SetupError
from rarr.records import Passage
from rarr.tools.models.hub import INSTALL, can_be_model, loaded, one_line


class CrossEncoderReranker:
    """Scores passages with one model that is loaded once. Only one call uses the model at a time."""

    def __init__(self, name: str) -> None:
        """`name` is a folder, or a model of the Hugging Face hub, which is downloaded once.

        Raises `SettingsError` for a name that can be neither, and `SetupError` where the extra is not
        installed, or the model cannot be loaded or is no reranker. This takes seconds, since torch is
        imported.
        """
        if not can_be_model(name):
            raise SettingsError(
                f"unknown reranker {name!r}: give overlap, the folder of a cross-encoder, or its"
                " name on the hub, such as cross-encoder/ms-marco-MiniLM-L6-v2"
            )
        try:
            import sentence_transformers
            from torch.nn import Sigmoid
        except ImportError as error:
            reason = one_line(error)
            raise SetupError(f"reranker {name!r} cannot be loaded ({reason}): {INSTALL}") from None
        # Many models return logits, and evidence needs a relevance from 0 to 1.
        self._activation = Sigmoid()
        try:
            self._model = loaded(
                name, lambda path, local: sentence_transformers.CrossEncoder(path, local_files_only=local)
            )
        except Exception as error:  # the hub, the network and the file format have their own errors
            raise SetupError(
                f"reranker {name!r} cannot be loaded ({one_line(error)}): check the name and the connection,"
                " or give the folder of a cross-encoder"
            ) from None
        # A model without a trained head would get a random head and scores without meaning.
        architectures = getattr(self._model.config, "architectures", None) or ()
        headless = any(kind.endswith("Model") for kind in architectures)
        if headless or self._model.num_labels != 1:
            has = "no trained head" if headless else f"{self._model.num_labels} outputs"
            raise SetupError(
                f"reranker {name!r} has {has}: choose a cross-encoder with one output,"
                " such as cross-encoder/ms-marco-MiniLM-L6-v2"
            )
        self._lock = threading.Lock()  # a tokenizer cannot be used by two threads at once

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, with its title, to `query`: a sigmoid score from 0 to 1."""
        if not passages:
            return []
        pairs = [
            (query, f"{passage.title}\n{passage.text}" if passage.title else passage.text)
            for passage in passages
        ]
        return await asyncio.to_thread(self._predict, pairs)

    def _predict(self, pairs: list[tuple[str, str]]) -> list[float]:
        with self._lock:
            # The model itself makes batches of passages of similar length.
            scores = self._model.predict(pairs, activation_fn=self._activation, show_progress_bar=False)
        return [float(score) for score in scores]
