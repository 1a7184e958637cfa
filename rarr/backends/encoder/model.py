"""Runs the encoder, an ONNX file: judges whether a passage supports a text, and finds hidden words."""

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rarr.backends.encoder.inputs import LONGEST_TEXT, NULL, EncoderInput, MaskedSpan, encoder_input
from rarr.backends.encoder.model_files import LoadedEncoder, checked_manifest, load_encoder
from rarr.backends.nli.loading import EntailmentJudgement, LogitIndexes
from rarr.tools.text.blocks_and_sentences import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_ANSWER = 12  # the most tokens of the hidden words in a passage
_CLASSES = LogitIndexes(support=0, contradiction=2)


class Encoder:
    """Judges with the trained model, and finds hidden words in passages. Threads may share an object.

    The constructor checks the files of the model, and the first use opens the files.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where `rarr train editor` wrote the weights. None means the weights of the package.

        Raises `SettingsError` if a file is missing or damaged.
        """
        self._folder, self._manifest = folder, checked_manifest(folder)
        self._opening = threading.Lock()

    def can_read_all(self, text: str) -> bool:
        """Tells whether the whole text fits into an input. An input has room for 120 tokens of a text."""
        return len(self._loaded_encoder.tokenizer.encode(text, add_special_tokens=False).ids) <= LONGEST_TEXT

    def judgement(self, text: str, title: str, passage: str) -> EntailmentJudgement:
        """Returns two probabilities: that the passage supports the text, and that it contradicts the text."""
        made = encoder_input(self._loaded_encoder.tokenizer, text, title, passage)
        logits = self._run_model(made, ["attribution"])["attribution"].tolist()
        return _CLASSES.judgement_of_logits(logits)

    def find_hidden_words(
        self, text: str, title: str, passage: str, masked: MaskedSpan, count: int
    ) -> list[tuple[Span, float]]:
        """Returns the `count` most probable places of the hidden words in the passage, the best first.

        Each result is a pair: a place, and the log-probability that the words of the `masked` span stand
        there. Raises `ValueError` if the text is so long that the masked span was cut off.
        """
        sequence = encoder_input(self._loaded_encoder.tokenizer, text, title, passage, masked)
        if not sequence.mask:
            raise ValueError(f"the encoder reads {LONGEST_TEXT} tokens of a text: mask a span of these")
        row, spans = self._run_model(sequence, ["start", "end"]), sequence.passage_spans
        inside = slice(sequence.passage_start, sequence.passage_start + len(spans))
        # The last element is the probability that the passage does not have the hidden words.
        starts, ends = (
            _log_softmax(np.append(it[inside], it[NULL]))[:-1] for it in (row["start"], row["end"])
        )
        scores = [
            (float(starts[s] + ends[e]), s, e)
            for s in range(len(spans))
            for e in range(s, min(len(spans), s + LONGEST_ANSWER))
        ]
        best = sorted(scores, reverse=True)[:count]
        return [(Span(spans[s][0], spans[e][1]), score) for score, s, e in best]

    @property
    def threshold(self) -> float:
        """Returns the lowest probability at which the editor makes a correction."""
        return self._manifest.sure

    def _run_model(self, sequence: EncoderInput, heads: list[str]) -> "dict[str, NDArray[Any]]":
        """Computes the outputs with the names `heads` for a single sequence.

        There are no batches, because 8-bit products use one scale for a whole batch: the output of a sequence
        would depend on the other sequences.
        """
        feed = {
            "input_ids": np.array([sequence.ids], np.int64),
            "attention_mask": np.ones((1, len(sequence.ids)), np.int64),
            "token_type_ids": np.array([sequence.types], np.int64),
            "mask_position": np.array([sequence.mask], np.int64),
        }
        outputs = self._loaded_encoder.session.run(heads, feed)
        return {head: out[0] for head, out in zip(heads, outputs, strict=True)}

    @property
    def _loaded_encoder(self) -> LoadedEncoder:
        with self._opening:
            return self._unlocked_encoder

    @cached_property
    def _unlocked_encoder(self) -> LoadedEncoder:
        return load_encoder(self._folder)


def _log_softmax(logits: "NDArray[np.float32]") -> "NDArray[np.float32]":
    shifted = logits - logits.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
