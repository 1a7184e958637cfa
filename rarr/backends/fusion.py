"""The editor of PURR: a trained T5 that corrects a text with all evidence at once. Needs the extra `torch`.

The encoder of the T5 reads the text with each evidence separately. The decoder then attends to all encodings
(Chen et al. 2023; Chen 2023, chapter 7; fusion-in-decoder: Izacard and Grave 2021).
"""

import re
from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoTokenizer, T5ForConditionalGeneration
from transformers.modeling_outputs import BaseModelOutput

from rarr.errors import ModelError, SetupError
from rarr.records import Evidence
from rarr.tools.concurrency import infer
from rarr.tools.models.hub import is_folder_or_hub_name, load_from_hub

LIMIT = 512  # the most tokens of an input, which has the text and one evidence
TEXT_LIMIT = 256  # the most tokens of the text, so that an input has room for the evidence
EVIDENCES = 5  # the most evidences for a text
BEAMS = 4  # of the beam search that writes the answer
_LINE = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_LONGER = 1.3  # the answer may have so many tokens for each token of the text


class FusionInDecoder(T5ForConditionalGeneration):  # type: ignore[misc]  # untyped where torch is not installed
    """A T5 whose decoder attends to several encoded inputs of each text.

    `input_ids` and `attention_mask` have the shape (texts, inputs of a text, tokens).
    """

    def encode_and_join(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> BaseModelOutput:
        """Encodes each input alone, and joins the results of a text: shape (texts, inputs * tokens, size)."""
        texts = input_ids.shape[0]
        states = self.encoder(input_ids=input_ids.flatten(0, 1), attention_mask=attention_mask.flatten(0, 1))
        joined = states.last_hidden_state.unflatten(0, (texts, -1)).flatten(1, 2)
        return BaseModelOutput(last_hidden_state=joined)

    def forward(
        self,
        input_ids: Any = None,
        attention_mask: Any = None,
        encoder_outputs: Any = None,
        labels: Any = None,
        **more: Any,
    ) -> Any:
        """Runs the T5 over all inputs of each text. Takes the arguments of `T5ForConditionalGeneration`."""
        if input_ids is not None and input_ids.dim() == 3:
            encoder_outputs = self.encode_and_join(input_ids, attention_mask)
            input_ids, attention_mask = None, attention_mask.flatten(1)
        given = {"encoder_outputs": encoder_outputs, "labels": labels}
        return super().forward(input_ids=input_ids, attention_mask=attention_mask, **given, **more)


def editor_inputs(text: str, question: str | None, evidence: Sequence[tuple[str, str]]) -> list[str]:
    """Returns one input of the T5 for each evidence. An evidence is a pair (title, text)."""
    asked = f" question: {' '.join(question.split())}" if question else ""
    return [
        f"edit: {text}{asked} evidence: {f'{title}. ' if title else ''}{' '.join(words.split())}"
        for title, words in evidence
    ]


def encode_inputs(tokenizer: Any, inputs: Sequence[Sequence[str]]) -> dict[str, torch.Tensor]:
    """Returns `input_ids` and `attention_mask`, both of the shape (texts, inputs of a text, tokens)."""
    flat = [words for some in inputs for words in some]  # each text has the same number of inputs
    made = tokenizer(flat, padding=True, truncation=True, max_length=LIMIT, return_tensors="pt")
    return {name: made[name].unflatten(0, (len(inputs), -1)) for name in ("input_ids", "attention_mask")}


class FusionEditor:
    """A rewriter that corrects a text with a trained PURR editor."""

    def __init__(self, name: str) -> None:
        """Loads a folder of `rarr train purr`, or a T5 of the hub. Raises `SetupError` if this fails."""
        self.name = name
        what = f"editor 'purr:{name}'"
        if not is_folder_or_hub_name(name):
            raise SetupError(f"{what}: give a folder, or OWNER/MODEL of the hub")
        self._tokenizer, self._model = load_from_hub(what, name, load_fusion_in_decoder)

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the corrected text. Uses the first five evidences. Raises the errors of `edit_text`."""
        about = [(passage.title, passage.text) for passage in evidence[:EVIDENCES]]
        return await infer(self.edit_text, text, context, about)

    def edit_text(self, text: str, question: str | None, evidence: Sequence[tuple[str, str]]) -> str:
        """Returns the corrected text. Edits each line separately, because the tokenizer removes line breaks.

        Raises `ModelError` if a line is too long for the model, or if the model does not end its answer.
        """
        lines = [line.groups() for line in map(_LINE.fullmatch, text.splitlines(keepends=True)) if line]
        made = ((it, self._edit_line(it[1], question, evidence) if it[1] else "") for it in lines)
        return "".join(before + new + after for (before, _, after), new in made)

    def _edit_line(self, text: str, question: str | None, evidence: Sequence[tuple[str, str]]) -> str:
        size = len(self._tokenizer(text)["input_ids"])
        if size > TEXT_LIMIT:
            raise ModelError(f"editor {self.name} reads at most {TEXT_LIMIT} tokens, and a line has {size}")
        given = encode_inputs(self._tokenizer, [editor_inputs(text, question, evidence)])
        options = {"num_beams": BEAMS, "do_sample": False, "max_new_tokens": int(_LONGER * size) + 8}
        with torch.inference_mode():
            options["encoder_outputs"] = self._model.encode_and_join(**given)
            [answer] = self._model.generate(attention_mask=given["attention_mask"].flatten(1), **options)
        if self._tokenizer.eos_token_id not in answer[1:].tolist():
            raise ModelError(f"the answer of editor {self.name} does not end")
        new = str(self._tokenizer.decode(answer, skip_special_tokens=True)).strip()
        return new if new and new != " ".join(text.split()) else text


def load_fusion_in_decoder(name: str, only_local: bool) -> tuple[Any, FusionInDecoder]:
    """Loads the tokenizer and the model `name`, in evaluation mode. `only_local` forbids a download."""
    tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=only_local)
    return tokenizer, FusionInDecoder.from_pretrained(name, local_files_only=only_local).eval()
