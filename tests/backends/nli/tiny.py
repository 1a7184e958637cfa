"""Writes tiny models into folders. Their weights are fixed, so their answers are known.

For a classifier, evidence with "granted" entails, evidence with "denied" contradicts, and other evidence is
neutral. The length of a text does not matter.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = ["the", "permit", "was", "granted", "denied", "in", "town", "hall", "rain", "fell", "1936", ".", ":"]
SIZE = 16
LOUD = 4.0  # about the amount that "granted" adds to a logit


def classifier(folder: Path, labels: Sequence[str], *, entails: int, contradicts: int) -> Path:
    """Writes a BERT with these labels. For other evidence, the neutral logit is the highest."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: index for index, word in enumerate([*specials, *WORDS])}
    BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=SIZE,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=SIZE,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )
    model = BertForSequenceClassification(config)
    layer = model.bert.encoder.layer[0]
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "LayerNorm.weight" in name else 0.0)
        embeddings = model.bert.embeddings.word_embeddings.weight
        embeddings[vocabulary["granted"], 0] = 1.0
        embeddings[vocabulary["denied"], 1] = 1.0
        for dense in (layer.attention.self.value, layer.attention.output.dense, model.bert.pooler.dense):
            dense.weight.copy_(torch.eye(SIZE))
        model.classifier.bias.copy_(torch.ones(len(labels)))
        for word, output in enumerate((entails, contradicts)):
            model.classifier.weight[output, word] = LOUD
            model.classifier.bias[output] = -1.0
    model.save_pretrained(folder)
    return folder


def t5(folder: Path, *, no: float, yes: float) -> Path:
    """Writes a T5 that always gives these logits to "0" and "1" as the first token."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = _t5_tokenizer(folder)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=SIZE,
        d_kv=8,
        d_ff=SIZE,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
        tie_word_embeddings=False,
    )
    model = T5ForConditionalGeneration(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "layer_norm" in name else 0.0)
        model.shared.weight.fill_(1.0)  # the norm of ones is ones
        model.lm_head.weight[tokenizer.convert_tokens_to_ids("▁")].fill_(no / SIZE)
        model.lm_head.weight[tokenizer.convert_tokens_to_ids("▁1")].fill_(yes / SIZE)
    model.save_pretrained(folder)
    return folder


def _t5_tokenizer(folder: Path) -> Any:
    """Makes a tokenizer that, as T5's, has a token for 1 at the start of a word, and none for 0."""
    from transformers import T5Tokenizer

    specials = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    digits = [("▁", -2.0), ("▁1", -1.0), ("0", -2.0), ("1", -2.0), (":", -2.0), (".", -2.0)]
    words = [(f"▁{word}", -1.0) for word in [*WORDS[:10], "premise", "hypothesis", "predict"]]
    tokenizer = T5Tokenizer(vocab=[*specials, *digits, *words], extra_ids=0)
    tokenizer.save_pretrained(folder)
    return tokenizer
