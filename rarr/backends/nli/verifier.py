"""A verifier that judges sentences by an NLI model, in batches of similar length.

If the evidence is too long for the model, each part is judged, and the highest probabilities count.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from rarr.backends.nli.loading import EntailmentJudgement, attribution_class, load_model
from rarr.errors import SetupError
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency import infer
from rarr.tools.text.blocks_and_sentences import Span, sentences, split_sentences
from rarr.tools.text.citation_marks import citation_marks

_BATCH_TOKENS = 8192  # the most tokens of a batch, with padding
_LIMIT = 512  # the most tokens of an input, if neither the tokenizer nor the config has a limit
_NO_LIMIT = 100_000  # from here on, the limit of a tokenizer means: no limit (it is 10^30)
_LEAST_EVIDENCE = "eight words of evidence fit beside the claim"

Pair = tuple[str, str]  # an evidence, and a claim to judge


class NliModel:
    """A loaded model. Only one thread may use the model at a time."""

    def __init__(self, name: str) -> None:
        """Loads the model. A download takes minutes. Raises the errors of `load_model`."""
        self._model, self._tokenizer, self._format, self._torch = load_model(name)
        self._limit = _token_limit(self._format.limit, self._tokenizer, self._model.config)
        self._special = re.compile("|".join(map(re.escape, self._tokenizer.all_special_tokens)))
        self._answers = _answer_tokens(self._tokenizer, name) if self._format.generates else None

    def judge_pairs(self, pairs: Sequence[Pair], title: str = "") -> list[EntailmentJudgement | None]:
        """Judges pairs (evidence, claim), with `title` before the evidence; None if no evidence fits in."""
        title = f"{title}. " if title else ""
        parts: list[tuple[int, Pair]] = []
        for number, (evidence, claim) in enumerate(pairs):
            fits = lambda it, claim=claim: len(self._encode((title + it, claim))["input_ids"]) <= self._limit  # noqa: E731
            parts += [(number, (title + part, claim)) for part in evidence_parts(evidence, fits)]
        judged = self._judge_in_batches([pair for _, pair in parts])
        found: list[list[EntailmentJudgement]] = [[] for _ in pairs]
        for (number, _), judgement in zip(parts, judged, strict=True):
            found[number].append(judgement)
        return [_highest_judgement(some) if some else None for some in found]

    def _encode(self, pair: Pair) -> dict[str, Any]:
        """Returns the model's input for a pair. Removes special tokens from the texts of the pair."""
        evidence, claim = texts = [" ".join(self._special.sub(" ", text).split()) for text in pair]
        if self._format.prompt is not None:
            end = self._tokenizer.eos_token or self._tokenizer.sep_token
            texts = [self._format.prompt.format(evidence=evidence, claim=claim, end=end)]
        return dict(self._tokenizer(*texts, verbose=False))

    def _judge_in_batches(self, pairs: Sequence[Pair]) -> list[EntailmentJudgement]:
        """Judges the pairs in batches, short pairs first. Returns judgements in the order of `pairs`."""
        encoded = [self._encode(pair) for pair in pairs]
        sizes, judged = [len(each["input_ids"]) for each in encoded], dict[int, EntailmentJudgement]()
        size = _BATCH_TOKENS // max(sizes, default=1) or 1
        order = sorted(range(len(sizes)), key=sizes.__getitem__)
        for batch in (order[at : at + size] for at in range(0, len(order), size)):
            for index, logits in zip(batch, self._logits([encoded[i] for i in batch]), strict=True):
                judged[index] = self._format.outputs.judgement_of_logits(logits)
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


def _highest_judgement(judged: Sequence[EntailmentJudgement]) -> EntailmentJudgement:
    contradictions = [each.contradiction for each in judged if each.contradiction is not None]
    return EntailmentJudgement(max(each.support for each in judged), max(contradictions, default=None))


def evidence_parts(evidence: str, fits: Callable[[str], bool]) -> list[str]:
    """Splits evidence in halves, between sentences or words, until each part fits; [] if no part can fit."""
    if fits(evidence) or len(evidence) < 2:
        return [evidence] if fits(evidence) else []
    if not fits(_LEAST_EVIDENCE):
        return []
    half = len(evidence) // 2
    starts = [it.start for it in split_sentences(evidence) if it.start]
    middle = min(starts, key=lambda start: abs(start - half), default=0)
    middle = middle or max(evidence.rfind(" ", 1, half + 1), 0) or half
    halves = (evidence[:middle].strip(), evidence[middle:].strip())
    return [part for each in halves if each for part in evidence_parts(each, fits)]


def _token_limit(own_limit: int | None, tokenizer: Any, config: Any) -> int:
    """Returns the most tokens of an input: `own_limit`, or (if None) the limit of tokenizer and config."""
    if own_limit is not None:
        return own_limit
    known = tokenizer.model_max_length if tokenizer.model_max_length < _NO_LIMIT else _LIMIT
    positions = getattr(config, "max_position_embeddings", None)
    return min(known, positions - 2) if positions else known  # RoBERTa counts positions from 2


def _answer_tokens(tokenizer: Any, name: str) -> tuple[int, int]:
    """Returns the first tokens of the words "0" and "1" (for T5: 3 and 209).

    Raises `SetupError` if both words begin with the same token, or with the unknown token.
    """
    no, yes = (tokenizer(digit, add_special_tokens=False)["input_ids"][0] for digit in "01")
    if no == yes or tokenizer.unk_token_id in (no, yes):
        raise SetupError(f"model 'nli:{name}' has no tokens for 0 and 1, its answers: choose another")
    return no, yes


_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?: |$))")  # the space before a removed citation


class NliVerifier:
    """Judges sentences by an NLI model. The support is the probability (0 to 1) of entailment.

    A support is None if the span has no sentence (such as a heading), if the evidence has no text, or if the
    sentence leaves no room for evidence.
    """

    def __init__(self, name: str, threshold: float) -> None:
        """Loads the `NliModel`. A sentence is attributable if its support is at least `threshold`."""
        self._model, self._threshold = NliModel(name), threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of the sentence of `text` at each of `spans`."""
        judged = await infer(self._judge, text, context, spans, evidence)
        return [None if judgement is None else judgement.support for judgement in judged]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns the most probable `AttributionClass` of the sentence at each of `spans`.

        A model without a label for contradiction knows two classes. Then `threshold` decides between them.
        """
        judged = await infer(self._judge, text, context, spans, evidence)
        return [None if it is None else _likeliest_class(it, self._threshold) for it in judged]

    def _judge(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> list[EntailmentJudgement | None]:
        texts = [text_to_judge(text, context, span) for span in spans]
        asked = [index for index, claim in enumerate(texts) if claim and evidence.text.strip()]
        pairs = [(evidence.text, texts[index]) for index in asked]
        judged = dict(zip(asked, self._model.judge_pairs(pairs, evidence.title), strict=True))
        return [judged.get(index) for index in range(len(spans))]


def text_to_judge(text: str, context: str | None, span: Span) -> str:
    """Returns the sentences of `text` that overlap `span`, without citations.

    If the text has only one sentence, `context` comes first, because a short answer needs its question.
    """
    spans = sentences(text)
    marks = [mark.place for mark in citation_marks(text)]
    touched = [_without_marks(text, sentence, marks) for sentence in spans if sentence.overlaps(span)]
    asked = [context] if context and touched and len(spans) == 1 else []
    return _SPACE_BEFORE_STOP.sub("", " ".join(" ".join([*asked, *touched]).split()))


def _without_marks(text: str, sentence: Span, marks: Sequence[Span]) -> str:
    inside = [mark for mark in marks if mark.overlaps(sentence)]
    starts, ends = [mark.start for mark in inside], [mark.end for mark in inside]
    kept = zip([sentence.start, *ends], [*starts, sentence.end], strict=True)
    return " ".join(text[start:end] for start, end in kept)


def _likeliest_class(judged: EntailmentJudgement, threshold: float) -> AttributionClass | None:
    if judged.contradiction is None:
        return attribution_class(judged.support, threshold)
    silence = 1 - judged.support - judged.contradiction
    if judged.support >= max(silence, judged.contradiction):
        return "attributable"
    return "contradictory" if judged.contradiction >= silence else "extrapolatory"
