"""A verifier whose model judges each sentence by the evidence under its title, in batches of similar size.

Evidence that is too long for the model is judged in parts, and the highest probability of each kind counts.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from rarr.backends.nli.loading import EntailmentJudgement, attribution_class, loaded_model
from rarr.errors import SetupError
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency import infer
from rarr.tools.text.blocks_and_sentences import Span, sentences, split_sentences
from rarr.tools.text.citation_marks import citation_marks

_BATCH_TOKENS = 8192  # padding included
_LIMIT = 512  # tokens, where neither the tokenizer nor the config has a limit
_UNKNOWN = 100_000  # tokenizers without a limit give 10^30
_ROOM = "eight words of evidence fit beside the claim"

Pair = tuple[str, str]  # the text of an evidence, and the claim that is judged by it


class NliModel:
    """A loaded model. It judges in the calling thread, for one thread at a time."""

    def __init__(self, name: str) -> None:
        """Loads the model in seconds, or minutes with a download. Raises the errors of `loaded_model`."""
        self._model, self._tokenizer, self._shape, self._torch = loaded_model(name)
        self._limit = _limit(self._shape.limit, self._tokenizer, self._model.config)
        self._special = re.compile("|".join(map(re.escape, self._tokenizer.all_special_tokens)))
        self._answers = _answers(self._tokenizer, name) if self._shape.generates else None

    def judge(self, pairs: Sequence[Pair], title: str = "") -> list[EntailmentJudgement | None]:
        """Judges each pair, with its evidence under `title`. None if the claim leaves evidence no room."""
        heading = f"{title}. " if title else ""
        parts: list[tuple[int, Pair]] = []
        for number, (evidence, claim) in enumerate(pairs):
            fits = lambda text, claim=claim: self._size((heading + text, claim)) <= self._limit  # noqa: E731
            parts += [(number, (heading + part, claim)) for part in evidence_parts(evidence, fits)]
        judged = self._judged([pair for _, pair in parts])
        found: list[list[EntailmentJudgement]] = [[] for _ in pairs]
        for (number, _), judgement in zip(parts, judged, strict=True):
            found[number].append(judgement)
        return [_highest(some) if some else None for some in found]

    def _plain(self, text: str) -> str:
        """Returns the text without line ends and without the special tokens of the tokenizer."""
        return " ".join(self._special.sub(" ", text).split())

    def _texts(self, pair: Pair) -> tuple[str, ...]:
        evidence, claim = map(self._plain, pair)
        if self._shape.prompt is None:
            return evidence, claim
        end = self._tokenizer.eos_token or self._tokenizer.sep_token
        return (self._shape.prompt.format(evidence=evidence, claim=claim, end=end),)

    def _size(self, pair: Pair) -> int:
        return len(self._tokenizer(*self._texts(pair), verbose=False)["input_ids"])

    def _judged(self, pairs: Sequence[Pair]) -> list[EntailmentJudgement]:
        """Judges the pairs in batches, the shortest first; returns the judgements in the order given."""
        encoded = [dict(self._tokenizer(*self._texts(pair), verbose=False)) for pair in pairs]
        sizes, judged = [len(each["input_ids"]) for each in encoded], dict[int, EntailmentJudgement]()
        size = _BATCH_TOKENS // max(sizes, default=1) or 1
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        for batch in (order[at : at + size] for at in range(0, len(order), size)):
            for index, logits in zip(batch, self._logits([encoded[i] for i in batch]), strict=True):
                judged[index] = self._shape.outputs.judgement(logits)
        return [judged[index] for index in range(len(pairs))]

    def _logits(self, encoded: list[dict[str, Any]]) -> list[list[float]]:
        with self._torch.inference_mode():
            inputs = self._tokenizer.pad(encoded, return_tensors="pt").to(self._model.device)
            if self._answers is None:
                return self._model(**inputs).logits.float().tolist()  # type: ignore[no-any-return]
            start = self._model.config.decoder_start_token_id
            first = self._torch.full((len(encoded), 1), start, device=self._model.device)
            logits = self._model(**inputs, decoder_input_ids=first).logits
            return logits[:, 0, list(self._answers)].float().tolist()  # type: ignore[no-any-return]


def _highest(judged: Sequence[EntailmentJudgement]) -> EntailmentJudgement:
    contradictions = [each.contradiction for each in judged if each.contradiction is not None]
    return EntailmentJudgement(max(each.support for each in judged), max(contradictions, default=None))


def evidence_parts(evidence: str, fits: Callable[[str], bool]) -> list[str]:
    """Halves evidence, between sentences or else words, until each part fits; [] if there is no room."""
    if fits(evidence) or len(evidence) < 2:
        return [evidence] if fits(evidence) else []
    if not fits(_ROOM):
        return []
    half = len(evidence) // 2
    starts = [it.start for it in split_sentences(evidence) if it.start]
    middle = min(starts, key=lambda start: abs(start - half), default=0)
    middle = middle or max(evidence.rfind(" ", 1, half + 1), 0) or half
    halves = (evidence[:middle].strip(), evidence[middle:].strip())
    return [part for each in halves if each for part in evidence_parts(each, fits)]


def _limit(most: int | None, tokenizer: Any, config: Any) -> int:
    """Returns the limit of an input in tokens: `most`, or else that of the tokenizer and the config."""
    if most is not None:
        return most
    known = tokenizer.model_max_length if tokenizer.model_max_length < _UNKNOWN else _LIMIT
    positions = getattr(config, "max_position_embeddings", None)
    return min(known, positions - 2) if positions else known  # RoBERTa begins to count at 2


def _answers(tokenizer: Any, name: str) -> tuple[int, int]:
    """Returns the first tokens of "0" and "1": for T5, 3 and 209. The tokens named "0" and "1" are others.

    Raises `SetupError` for a tokenizer that does not tell them apart.
    """
    no, yes = (tokenizer(digit, add_special_tokens=False)["input_ids"][0] for digit in "01")
    if no == yes or tokenizer.unk_token_id in (no, yes):
        raise SetupError(f"model 'nli:{name}' has no tokens for 0 and 1, its answers: choose another")
    return no, yes


_BEFORE_A_STOP = re.compile(r" (?=[.,;:!?](?: |$))")  # the space of a removed citation


class NliVerifier:
    """Judges sentences by an NLI model. Support is the probability (0 to 1) that evidence entails a sentence.

    None for a span without a sentence, such as a heading, for evidence without text, and for a sentence
    that leaves the model no room for evidence.
    """

    def __init__(self, name: str, threshold: float) -> None:
        """Loads the model `name`, as `NliModel` does. From the support `threshold` on, it is attributable."""
        self._model = NliModel(name)
        self._threshold = threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of the sentences of `text` at `spans`, all judged in one call."""
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else judgement.support for judgement in judged]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns for each sentence the most probable of the three classes.

        With a model without a label for contradiction, the threshold decides between the other two.
        """
        judged = await infer(self._judged, text, context, spans, evidence)
        return [None if judgement is None else _class(judgement, self._threshold) for judgement in judged]

    def _judged(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> list[EntailmentJudgement | None]:
        texts = [judged_text(text, context, span) for span in spans]
        asked = [index for index, claim in enumerate(texts) if claim and evidence.text.strip()]
        pairs = [(evidence.text, texts[index]) for index in asked]
        judged = dict(zip(asked, self._model.judge(pairs, evidence.title), strict=True))
        return [judged.get(index) for index in range(len(spans))]


def judged_text(text: str, context: str | None, span: Span) -> str:
    """Joins the sentences of `text` that `span` overlaps, without citations; empty for none.

    The only sentence of a text may be a short answer, so its question stands before it.
    """
    spans = sentences(text)
    marks = [mark.place for mark in citation_marks(text)]
    touched = [_without(text, sentence, marks) for sentence in spans if sentence.overlaps(span)]
    asked = [context] if context and touched and len(spans) == 1 else []
    return _BEFORE_A_STOP.sub("", " ".join(" ".join([*asked, *touched]).split()))


def _without(text: str, sentence: Span, marks: Sequence[Span]) -> str:
    inside = [mark for mark in marks if mark.overlaps(sentence)]
    starts, ends = [mark.start for mark in inside], [mark.end for mark in inside]
    kept = zip([sentence.start, *ends], [*starts, sentence.end], strict=True)
    return " ".join(text[start:end] for start, end in kept)


def _class(judged: EntailmentJudgement, threshold: float) -> AttributionClass | None:
    if judged.contradiction is None:
        return attribution_class(judged.support, threshold)
    silence = 1 - judged.support - judged.contradiction
    if judged.support >= max(silence, judged.contradiction):
        return "attributable"
    return "contradictory" if judged.contradiction >= silence else "extrapolatory"
