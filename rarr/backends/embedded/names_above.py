"""Finds the names above a sentence that names no subject, so that pages about other things are left out."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from rarr.backends.embedded.items import ASKS, FILE_TITLE, SENTENCE_END, Line, heading_keys, is_heading
from rarr.backends.embedded.values.reading import values
from rarr.backends.embedded.words import AUXILIARIES, FUNCTION_WORDS, LIMITING, OPENERS, PRONOUNS, language_of
from rarr.components import Excerpt
from rarr.tools.text.blocks_and_sentences import Span

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.&+][^\W_]+)*[+#]*")
_BARE_SUBJECT = re.compile(
    r"(?:\A|[.!?]\s|\n)[\W_]*([A-ZÀ-Þ][\w-]*) (?:is|was|has|est|a|(?<!s )[a-z]{2,}s)\b"
)
_HEADING = re.compile(r"\s*(#{1,6})\s")
_LONGEST_CASE = 40  # most characters of a phrase such as "For adults,"
_ARTICLES = frozenset().union(*FUNCTION_WORDS.values(), PRONOUNS)
_NO_NAME = _ARTICLES | OPENERS | LIMITING
_CASES = frozenset(("for", "für", "pour"))
_FIRST_PHRASE = re.compile(r",\s|\s(?:the|d(?:er|ie|as|en)|l[ae]s?)\s")  # its end


class NamesAbove:
    """The names above a sentence: in the headings, and in the last paragraph that has names."""

    def __init__(self, text: str) -> None:
        self.headings, self.known = dict[int, str](), set[str]()  # the headings by level
        self.last, self.starts_paragraph = frozenset[str](), True
        self.add_text(text)

    def add_text(self, text: str) -> None:
        self.known.update(tokens_of(text))
        for number, line in enumerate(text.split("\n")):
            self.starts_paragraph |= number > 0
            if heading := _HEADING.match(line):
                level, self.last = len(heading[1]), frozenset()
                self.headings = {at: it for at, it in self.headings.items() if at < level} | {level: line}
            else:
                if names := name_words(line):
                    names |= frozenset() if self.starts_paragraph else self.last
                    self.last, self.starts_paragraph = names, False
                self.last |= _bare_subjects(line)

    def headings_differ(self, line: Line, known: Set[str]) -> bool:
        """Tells whether the headings of the text and of a source line each have words that the other lacks.

        A dose below "Adults" is not the dose below "Children". Titles count only if the two titles share a
        word, as "Model A" and "Model B" do. `known`: the words of the text so far.
        """
        title, said = heading_keys(line.title), {item.key for item in line.items}
        own_title, told = heading_keys(self.headings.get(1, "")), line.all_keys | line.heading_keys | title
        own = {key for level, it in self.headings.items() if level > 1 for key in heading_keys(it)}
        differ = bool(own - told) and not line.heading_keys - known <= said
        return differ or bool(own_title & title and own_title - told and title - known - said)

    def without_pages_about_others(self, pages: Sequence[Excerpt], sentence: str) -> list[Excerpt]:
        """Returns `pages` without the pages about other names than the names above the sentence.

        Keeps a page with all names above the sentence, and a page whose names are all in the text. Keeps all
        pages if no name is above, or if `sentence` names a subject.
        """
        named = (name_words(it, is_title=level == 1) for level, it in self.headings.items())
        wanted = self.last.union(*named)
        if not wanted or _has_named_subject(sentence, self.known):
            return [*pages]
        known = self.known.union(tokens_of(sentence))
        return [page for page in pages if wanted <= _page_words(page) or _page_names(page) <= known]


@lru_cache(maxsize=1024)
def _page_words(page: Excerpt) -> frozenset[str]:
    texts = (page.title, *(line.text for line in page.lines))
    return frozenset(token for text in texts for token in tokens_of(text))


@lru_cache(maxsize=1024)
def _page_names(page: Excerpt) -> frozenset[str]:
    texts = ["" if FILE_TITLE.search(page.title) else page.title, *(line.text for line in page.lines)]
    names = (name_words(it, is_title=it is texts[0] or is_heading(it)) | _bare_subjects(it) for it in texts)
    return frozenset().union(*names)


def tokens_of(text: str) -> Iterator[str]:
    return (_fold_token(match[0]) for match in _TOKEN.finditer(text))


def _fold_token(token: str) -> str:
    return token.casefold().removesuffix("'s").removesuffix("’s")


@lru_cache(maxsize=4096)
def name_words(text: str, *, is_title: bool = False) -> frozenset[str]:
    """Returns the words of names in a text ("Pump 12"), and of phrases that limit a text ("For adults,")."""
    return frozenset().union(*(_sentence_names(it, is_title=is_title) for it in SENTENCE_END.split(text)))


def _bare_subjects(text: str) -> frozenset[str]:
    """Returns the single words before a verb that may be names, as in "Lismol is a drug"."""
    found = (_fold_token(it[1]) for it in _BARE_SUBJECT.finditer(text) if not ASKS.match(it[1]))
    return frozenset(it for it in found if it not in _NO_NAME)


def _sentence_names(sentence: str, *, is_title: bool) -> Iterator[str]:
    found = list(_TOKEN.finditer(sentence))
    is_german = language_of(_fold_token(it[0]) for it in found) == "de"  # German nouns look like names
    times = [it.span for it in values(sentence) if it.kind in ("date", "time") or (it.amounts and it.unit)]
    run = list[str]()
    for number, match in enumerate([*found, None]):
        follows = match and run and not sentence[found[number - 1].end() : match.start()].strip(" .-")
        if match and not any(map(Span(*match.span()).overlaps, times)):
            token, is_first = _fold_token(match[0]), number == 0
            is_name = match[0][0].isupper() and not (
                (token in _NO_NAME and (is_first or len(token) > 1)) or (is_first and ASKS.match(token))
            )
            if (is_name and (follows or not run)) or (follows and (len(token) == 1 or token[0].isdigit())):
                run.append(token)
                continue
        if len(run) > 1 or is_title or (run and not is_german and run != [found[0][0].casefold()]):
            yield from run
        run = []
    yield from _case_words(sentence, found)


def _case_words(sentence: str, found: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yields the words at the start that limit a sentence: "For adults,", but not "In the evening,"."""
    first, *others = [_fold_token(it[0]) for it in found[:2]] or [""]
    if first in _CASES or (first in OPENERS - _ARTICLES and _NO_NAME.isdisjoint(others)):
        words = [it for it in found if _fold_token(it[0]) not in _NO_NAME and not values(it[0])]
        comma = sentence.find(",", 0, _LONGEST_CASE)
        yield from (_fold_token(it[0]) for it in words if it is words[0] or it.start() < comma)


def _has_named_subject(sentence: str, known: Set[str]) -> bool:
    """Tells whether a sentence has a name before the verb, or a first word in `known` that is no article."""
    found = list(_TOKEN.finditer(sentence))
    tenses = AUXILIARIES[language_of(_fold_token(it[0]) for it in found)]
    verbs = (it.start() for it in found[1:] if _fold_token(it[0]) in tenses)
    first = _fold_token(found[0][0]) if found else ""
    subject = sentence[: next(verbs, len(sentence))]
    if first in OPENERS - _ARTICLES:
        subject = _FIRST_PHRASE.split(subject, maxsplit=1)[-1]
    return bool(name_words(subject)) or (first in known and first not in _NO_NAME)
