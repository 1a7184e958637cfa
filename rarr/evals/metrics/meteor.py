"""Computes METEOR: matched words of a text and a reference, with a penalty for their order."""

import re

from rarr.errors import SetupError

_WORD = re.compile(r"[^\W_]+")


class _NoSynonyms:
    """Stands in for WordNet, which is data to download: no word has a synonym."""

    def synsets(self, word: str) -> list[str]:
        return []


def meteor(output: str, reference: str) -> float:
    """Computes METEOR from 0 to 1 (Banerjee and Lavie 2005, section 2), of words in small letters.

    Words match if they are equal, or have one Porter stem; synonyms do not match, since WordNet is not part
    of the package. The package nltk computes it; it matches a repeated word with its last place, and does not
    look for the order with the fewest pieces. 0 if one of the texts has no word. Raises `SetupError` if the
    package is missing.
    """
    try:
        from nltk.translate.meteor_score import single_meteor_score
    except ImportError as error:
        raise SetupError('METEOR needs a package: pip install "rarr[eval]"') from error
    words, wanted = _WORD.findall(output.lower()), _WORD.findall(reference.lower())
    if not words or not wanted:
        return 0.0
    return float(single_meteor_score(wanted, words, wordnet=_NoSynonyms()))
