"""Measures how much of a reference's wording a text has."""

import re

from rarr.errors import SetupError

_WORD = re.compile(r"[^\W_]+")


class _Words:
    """Runs of letters and digits of every script. The library's own tokenizer knows only English words."""

    def tokenize(self, text: str) -> list[str]:
        return _WORD.findall(text.lower())


def rouge_l(output: str, reference: str) -> float:
    """ROUGE-L: F1 of the longest common subsequence of words, 0 to 1 (Lin 2004, section 3.1), by rouge-score.

    Without stemming, and without letter case. Equal texts have 1, even without words. Raises `SetupError` if
    the library is missing.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise SetupError('ROUGE-L needs a package: pip install "rarr[eval]"') from error
    if output == reference:
        return 1.0
    scorer = RougeScorer(["rougeL"], tokenizer=_Words())
    return float(scorer.score(reference, output)["rougeL"].fmeasure)
