"""Turns passages and queries into the words of the index: word stems in lower case, without accents."""

import unicodedata

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from rarr.valid_unicode import valid

ANALYZER = "rarr_english"
"""The name of the analyzer of texts in the schema of the index."""

_LONGEST = 60  # the most bytes of a word: longer words are data, not language
_MOST_WORDS = 64  # the most words of a query: more words would make the search slow
# Letters, accents and digits form words. In a script without spaces, each character is a word.
_WORD_PATTERN = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{N}\p{M}]+"
# Words that do not show a topic. The words us and may are not in the list, because of US and May.
_STOP_WORD_LIST = (
    "a about after again all also am an and any are as at be because been before being between both "
    "but by can could d did do does doing during each ever few for from had has have having he her "
    "here hers him his how i if in into is it its itself ll m many me might more most much must my "
    "no nor not of off on once only or other our out over own re s same shall she should so some "
    "such t than that the their them then there these they this those through to too under until up "
    "ve very was we were what when where which while who whom whose why will with would you your "
)
STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


def _plain() -> TextAnalyzerBuilder:
    builder = TextAnalyzerBuilder(Tokenizer.regex(_WORD_PATTERN))
    return builder.filter(Filter.remove_long(_LONGEST)).filter(Filter.lowercase()).filter(Filter.ascii_fold())


_SPLITTER = _plain().build()
STEMMER = _plain().filter(Filter.stemmer("english")).build()
"""The analyzer of texts: words in lower case, without accents, reduced to English stems."""
_CONTENT = _plain().filter(Filter.custom_stopword(list(STOP_WORDS))).filter(Filter.stemmer("english")).build()


def normalised_text(text: str) -> str:
    """Writes `text` in Unicode's form NFKC: splits ligatures, joins accents. Its length may change."""
    return text if text.isascii() else unicodedata.normalize("NFKC", valid(text))


def query_words(query: str) -> list[str]:
    """Returns at most 64 words of `query`, each once. Leaves out stop words, unless all are stop words."""
    words = list(dict.fromkeys(_SPLITTER.analyze(normalised_text(query))))
    return ([word for word in words if word not in STOP_WORDS] or words)[:_MOST_WORDS]


def query_stems(query: str) -> list[str]:
    """Returns the stems of the words of `query` (see `query_words`), each once."""
    return list(dict.fromkeys(STEMMER.analyze(" ".join(query_words(query)))))


def all_stems(text: str) -> list[str]:
    """Returns the stems of all words of `text`, in their order, stop words included."""
    return list(STEMMER.analyze(normalised_text(text)))


def content_stems(text: str) -> list[str]:
    """Returns the stems of the words of `text`, in their order, without stop words."""
    return list(_CONTENT.analyze(normalised_text(text)))
