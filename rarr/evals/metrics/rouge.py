"""Computes ROUGE-L: the longest common subsequence of words of a text and a reference."""

import re

from rarr.errors import SetupError

_WORD = re.compile(r"[^\W_]+")


class _Words:
    """Tokenizes words of letters and digits in every script; the library's own tokenizer is for English."""

    def tokenize(self, text: str) -> list[str]:
        return _WORD.findall(text.lower())


def rouge_l(output: str, reference: str) -> float:
    """Computes ROUGE-L from 0 to 1: F1 of the longest common subsequence of words (Lin 2004, section 3.1).

    The package rouge-score computes it, without stemming and letter case. Equal texts have 1, even without
    words. Raises `SetupError` if the package is missing.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise SetupError('ROUGE-L needs a package: pip install "rarr[eval]"') from error
    if output == reference:
        return 1.0
    scorer = RougeScorer(["rougeL"], tokenizer=_Words())
    return float(scorer.score(reference, output)["rougeL"].fmeasure)
