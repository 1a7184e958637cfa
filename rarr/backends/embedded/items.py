"""Divides texts and source lines into items. An item is a value, such as a number, or a word with meaning."""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, takewhile
from typing import Any, NamedTuple

from rarr.backends.embedded import words as lists
from rarr.backends.embedded.values.comparing import compare, is_rounded
from rarr.backends.embedded.values.forms import MARKUP, Value
from rarr.backends.embedded.values.reading import values
from rarr.backends.embedded.values.tables import unit_of
from rarr.backends.source_lines import LEAD_LINE_ENDS, is_list_item
from rarr.components import Excerpt
from rarr.tools.text.blocks_and_sentences import MARK, Span

_TARGET = re.compile(  # the target of a link, an address in brackets, or "[citation needed]"
    r"\(\[[^\[\]\d]*\]\([^()\s]{1,2000}\)\)|(?<=\])\([^()\s]{1,2000}\)"
    r"|\((?:[^\W\d_]{1,8}:? )?https?://[^\s()]{1,2000}\)|<https?://[^\s<>]{1,2000}>|\[citation needed\]"
)
_STRUCK = re.compile(r"~~.*?(?:~~|\Z)|<(del|s|strike)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Bullets, and the marks of headings and quotations. They are no signs of a sentence.
_BULLET = re.compile(r"(?m)^(?:[ \t]*(?:>|(?:[-+*•‣◦▪■●·–—]|#{1,6})(?=\s)))+|^[ \t]*[=-]{2,}[ \t]*$")
# Characters with meaning that are no letters: digits outside values, and signs, such as a minus.
_SIGN = re.compile(
    r"\d+|(?<=[\w)\0+])[-‐‑–](?![\w-])|(?<![\w-])[-‐‑](?=[\w$€£¥.(])"
    r"|(?<![\w–—-])[‒–—―](?=[\d$€£¥.])|(?<=[\s(])[-‐‑‒–—―](?=\s{1,3}[\d$€£¥.])"
    r"|(?<=\d)'{1,3}(?!\w)|(?<=\w)#|!(?=[=\w])"
    r"|[^\w\s\0.,;:!?…¡¿|*_`´\\#'\"‘’‚‛“”„‟«»‹›()\[\]{}⟨⟩【】〈〉《》「」『』\-‐‑‒–—―®™©"
    r"\u00ad\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff、。，；：！？（）؟،؛।]"
)
_ALIKE_SIGNS = str.maketrans("−‐‑–′", "----'")
_NOT = ("n't", "n’t")  # the end of a word such as "isn't"
SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
MARKS = " \t\n*_`.!?\"'“”‘’"
_WHICH = re.compile(r"(\A\W*)?\b(?:(of|von|vom|de|du)|the|de[rmns]|die|das|le|la|les)\s\Z", re.IGNORECASE)
OF, _PLURAL = frozenset(("of", "von", "de", "du")), frozenset(("they", "their", "these", "those"))
_REQUEST = re.compile(r"(?is)\W*(?:tell|write|describe|explain|(?:be)?schreibe?|erkläre?)\b|.*\?\s*\Z")
_ARTICLES = frozenset().union(*lists.FUNCTION_WORDS.values())
_LONGEST_FRAGMENT, _FARTHEST = 5, 20  # most words of a fragment; most sentences before a pronoun
ASKS = re.compile(
    r"(?i)\W*(?:how|wh(?:o|om|ose|at|en|ere|ich|y)|w(?:ie|as|ann|arum|er|o)|comment|pourquoi|où"
    r"|qu(?:e|i|oi|and|els?|elles?))\b"
)
FILE_TITLE = re.compile(r"(?i)/|\.\w{1,5}\Z|\Apassage \d+\Z")  # a title that is no name of a thing
_SEPARATOR = re.compile(r"[_.#-]")  # stands between words in the name of a file
_LINKS = lists.LIMITING | lists.OPENERS
_FEW = ("few", "little", "wenig")  # "a few" means more than "few"


class Item(NamedTuple):
    """A value, or a word with meaning, at `start` to `end` of its text. Words such as "the" are no items."""

    start: int
    end: int
    stem: str = ""
    word: str = ""
    value: Value | None = None
    is_name: bool = False  # whether it belongs to a name, as both items of "Apollo 11" do
    form: str = ""  # the auxiliary verbs before it, such as "was"
    article: str = ""  # the article before it, or a possessive such as "his"
    marks: frozenset[tuple[str, str]] = lists.ARTICLES["a"]  # the cases and owners of the article

    @property
    def key(self) -> str:
        """Returns the stem of a word, or the written form of a value: "11" and "12" have different keys."""
        return self.stem or self.word


_NO_ITEM = Item(0, 0)
VERB_ENDINGS = ("ed", "s", "t", "te", "ten")


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a source. The line of a list item begins with the lead line, which introduces the list."""

    labels: tuple[str, ...]
    text: str
    items: tuple[Item, ...]
    subject_keys: frozenset[str]  # the keys of the title, or of the subject that its pronoun means
    row: str = ""  # for a table cell: the first cell of its row
    cell: str = ""  # for a table cell: its own words
    is_row: bool = False  # whether it is a whole table row
    excerpt_keys: frozenset[str] = frozenset()  # the keys of the whole excerpt
    title: str = ""
    heading_keys: frozenset[str] = frozenset()  # the keys of the heading above the line
    needed_keys: frozenset[str] = frozenset()  # the `subject_keys` that a sentence must also have

    @cached_property
    def all_keys(self) -> frozenset[str]:
        """Returns the keys (stems, or values as written) of the items and of the subject of the line."""
        return self.subject_keys | {item.key for item in self.items}

    @cached_property
    def without_present_tense(self) -> "Line":
        """Returns the line without verbs such as "is", so that "is 118" is equal to "118" in a table cell."""
        items = (it._replace(form="") if it.form in lists.PRESENT_FORMS else it for it in self.items)
        return replace(self, items=tuple(items))


def first_word(text: str) -> str:
    found = WORD.search(text)
    return found[0].casefold() if found else ""


def first_pronoun(text: str) -> str:
    """Returns the pronoun at the start of a text, or soon after a word such as "In"; "" without a pronoun."""
    most = 4 if first_word(text) in _LINKS else 1
    return next((it for it in WORD.findall(text.casefold())[:most] if it in lists.PRONOUNS), "")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@lru_cache(maxsize=4096)
def items_of(text: str) -> tuple[Item, ...]:
    """Returns the values and the words with meaning of a text, in order. Leaves out words such as "the"."""
    text = _STRUCK.sub(_blank, text)
    unmarked = _TARGET.sub(_blank, MARK.sub(_blank, text))
    found = values(_TARGET.sub(_blank, text))
    words = list(WORD.finditer(unmarked))
    if found:
        spans = [value.span for value in found]
        words = [it for it in words if not any(map(Span(*it.span()).overlaps, spans))]
    start = next((match.start() for match in words), 0)
    words = sorted((*words, *_find_signs(text, found)), key=lambda it: it.start())
    folded = [match[0].casefold() for match in words]
    language = lists.language_of(folded)
    tenses, small = lists.AUXILIARIES[language], lists.FUNCTION_WORDS[language]
    small -= {"que"} if lists.NE.search(text) else set()  # "ne ... que" means "only"
    items = [Item(it.start, it.end, "", text[it.start : it.end].casefold(), it) for it in found]
    hedged = [it for it in found if it.bound == "about"]  # "about" is a part of these values
    auxiliaries = list[tuple[int, str]]()
    for match, word in zip(words, folded, strict=True):
        for piece, begin in _split_word(word, match.start()):
            if piece in tenses:
                auxiliaries.append((begin, piece))
            if not piece or piece in small:
                continue
            is_weighty, is_name = piece in lists.LIMITING, match.start() > start and match[0][0].isupper()
            if is_weighty or not (hedged and any(it.bound_start <= begin < it.start for it in hedged)):
                told = piece if is_weighty else lists.stem(piece, language)
                told = piece if told in lists.LIMITING else told  # "notamment" has the stem "not"
                items.append(Item(begin, begin + len(piece), told, piece, None, is_name))
    items.sort()
    _add_auxiliaries(items, auxiliaries, is_german=language == "de")
    articles = ((it.start(), word) for it, word in zip(words, folded, strict=True) if word in lists.ARTICLES)
    _add_articles(items, articles, text if language == "de" else "")
    verb = verb_index(items, len(items))
    around = zip([_NO_ITEM, *items], items, [*items[1:], _NO_ITEM], strict=False)
    for number, (before, item, after) in enumerate(around):
        if value := item.value:
            tells_which = _value_tells_which_thing(text, value, after, is_behind_verb=number > verb)
            items[number] = item._replace(is_name=tells_which or _is_in_name(text, before, value, language))
    return tuple(items)


def _find_signs(text: str, found: Sequence[Value]) -> Iterator[re.Match[str]]:
    """Yields the digits and signs that have a meaning but are in no value, as in "A+", "↑" and "[x]"."""
    for box, sign in (("[ ]", " ☐ "), ("[x]", " ☒ "), ("[X]", " ☒ ")):
        text = text.replace(box, sign)
    shown = MARKUP.sub(lambda it: "\0" * len(it[0]), _TARGET.sub(_blank, _BULLET.sub(_blank, text)))
    for match in _SIGN.finditer(shown):
        at, is_spaced = match.start(), shown[match.end() :][:1].isspace()  # "5 m – 7 m" is a range
        if not any(it.bound_start <= at < it.end or (is_spaced and it.end + 1 == at) for it in found):
            yield match


def verb_index(items: Sequence[Item], default: int) -> int:
    """Returns the index of the first item with an auxiliary, else with a verb ending, else `default`."""
    told = [n for n, item in enumerate(items) if item.form or item.stem in lists.MODAL_VERBS]
    words = (n for n, it in enumerate(items) if n and not it.is_name and it.word not in lists.OPENERS)
    return told[0] if told else next((n for n in words if items[n].word.endswith(VERB_ENDINGS)), default)


def _add_auxiliaries(items: list[Item], auxiliaries: Sequence[tuple[int, str]], *, is_german: bool) -> None:
    for start, form in auxiliaries if items else ():
        behind = (n for n, it in enumerate(items) if it.start > start and it.stem not in _LINKS)
        verbs = (n for n in behind if not (is_german and (items[n].is_name or items[n].value)))
        at = next(verbs, len(items) - 1)
        items[at] = items[at]._replace(form=f"{items[at].form} {form}".strip())


def _add_articles(items: list[Item], articles: Iterable[tuple[int, str]], german: str) -> None:
    for start, word in articles:
        for at in range(bisect(items, start, key=lambda it: it.start), len(items)):
            item = items[at]
            stem = f"a {item.stem}" if word in ("a", "ein") and item.word in _FEW else item.stem
            items[at] = item._replace(stem=stem, article=word, marks=lists.ARTICLES[word])
            if not german or german[items[at].start].isupper():
                break  # in German, the article also belongs to the adjectives before the noun


def _is_in_name(text: str, before: Item, value: Value, language: str) -> bool:
    is_year = language == "de" and value.kind == "date"  # "das Wehr 1958" is no name
    if value.bound or is_year or not value.text.isdigit() or before.stem in _LINKS:
        return False
    return text[before.start].isupper() and text[before.end : value.start].isspace()


def _value_tells_which_thing(text: str, value: Value, after: Item, *, is_behind_verb: bool) -> bool:
    """Tells whether a value says which thing is meant, as in "the 2019 report". `after`: the next item."""
    found, is_date = _WHICH.search(text, 0, value.start), value.kind == "date"
    if found is None or found[2]:
        return found is not None and is_date and not is_behind_verb
    is_attribute = bool(after.stem) and not text[value.end : after.start].strip(" -")
    return is_attribute and (is_date or found[1] is not None)


def _split_word(word: str, start: int) -> list[tuple[str, int]]:
    if not word[0].isalnum():
        return [(unicodedata.normalize("NFKC", word).translate(_ALIKE_SIGNS), start)]
    if word.endswith(_NOT) or word == "cannot":
        return [(word[:-3], start), ("not", start + len(word) - 3)]
    return [(word.removesuffix("'s").removesuffix("’s"), start)]


@lru_cache(maxsize=512)
def lines_of(excerpt: Excerpt) -> tuple[Line, ...]:
    """Returns the usable lines of an excerpt (see `usable_lines`), and a line for each cell of its tables."""
    lines: list[Line] = []
    title = frozenset(item.key for item in items_of(excerpt.title))
    every = [line.text for line in excerpt.lines]
    around = title | {item.key for text in every for item in items_of(text)}
    name = "" if FILE_TITLE.search(excerpt.title) else excerpt.title
    governing, heading, headed = None, None, frozenset[str]()
    heads: tuple[str, Sequence[str]] = ("", ())
    for number, line in ((it, excerpt.lines[it]) for it in usable_lines(excerpt.title, every)):
        cells = [it.strip() for it in line.text.strip().strip("|").split("|")] if "|" in line.text else []
        if not cells:
            heading = None if line.text.rstrip().endswith(tuple(".!?")) else line
        if is_heading(line.text):
            headed = heading_keys(line.text)
        if len(cells) > 1 and len(cells) == len(heads[1]):
            shared = {"subject_keys": title, "excerpt_keys": around, "title": name, "heading_keys": headed}
            lines += _cell_lines((heads[0], line.label), heads[1], cells, shared)
        else:
            heads = line.label, cells
        labels: tuple[str, ...] = (line.label,)
        text = line.text
        if governing:
            labels, text = (governing.label, line.label), f"{governing.text} {line.text}"
        pronoun = first_pronoun(text)
        meant, tells = find_referent(every[:number], pronoun) if pronoun else (title, title)
        if meant <= title | {""}:
            meant, tells = frozenset(), title | tells - {""}
        if cells and heading:
            labels, tells = (heading.label, *labels), title | {item.key for item in items_of(heading.text)}
        items = items_of(text)
        lines.append(Line(labels, text, items, tells, "", "", bool(cells), around, name, headed, meant))
        if line.text.rstrip().endswith(LEAD_LINE_ENDS):
            governing = line
        elif line.text.rstrip().endswith(".") and not line.is_item:
            governing = None
    return tuple(lines)


def _cell_lines(
    labels: tuple[str, str], heads: Sequence[str], cells: Sequence[str], shared: dict[str, Any]
) -> Iterator[Line]:
    """Yields a line "FIRST-CELL HEADER CELL" for each cell of a table row, except for the first cell."""
    for head, cell in zip(heads[1:], cells[1:], strict=True):
        text = f"{cells[0]} {head} {cell}"
        yield Line(labels, text, items_of(text), row=plain_words(cells[0]), cell=cell, **shared)


def usable_lines(title: str, lines: Sequence[str]) -> Iterator[int]:
    """Yields the indexes of the lines that are not struck out, and that no other line denies or limits."""
    is_struck, named, headings = False, {item.key for item in items_of(title)}, {0: title}  # by level
    for number, (line, before, after) in enumerate(zip(lines, ["", *lines], [*lines[1:], ""], strict=False)):
        opens = line.count("~~") % 2 == 1
        if (is_question := line.rstrip().endswith("?")) or is_heading(line):
            level = 8 if is_question else len(line) - len(line.lstrip("#")) or 7
            headings = {at: it for at, it in headings.items() if at < level}
            headings |= {level: line} if not is_question or _calls_wrong(line) else {}
        told = named.union(item.key for item in items_of(line))
        limits = chain.from_iterable(map(items_of, filter(_limits_lines, (*headings.values(), before))))
        is_limited = not all(it.value or it.key in told or it.word in lists.OPENERS for it in limits)
        is_denied = any(map(_calls_wrong, headings.values())) or lists.ANNOUNCEMENT.search(before.strip())
        # Below "Avoid", "Drink alcohol" means its opposite, but "Do not drink alcohol" does not.
        is_forbidden = any(it != line and lists.FORBIDS.search(it) for it in headings.values())
        is_turned = is_forbidden and lists.LIMITING.isdisjoint(item.stem for item in items_of(line))
        is_framed = is_limited or is_turned or lists.COMMENT.search(after) or _next_line_comments(line, after)
        if not (is_struck or opens or is_denied or is_framed):
            yield number
        is_struck ^= opens


@lru_cache(maxsize=1024)
def heading_keys(text: str) -> frozenset[str]:
    """Returns the stems of words and the values of a heading, and single capitals, as in "Model A"."""
    capitals = re.findall(r"(?<=\s)[A-Z]\b", text)
    return frozenset((*(it.key for it in items_of(text) if it.word not in lists.OPENERS), *capitals))


def is_heading(line: str) -> bool:
    return not ("|" in line or line.rstrip().endswith(tuple(".!?:;,")) or is_list_item(line, 0))


@lru_cache(maxsize=1024)
def _limits_lines(words: str) -> bool:
    """Tells whether a heading, or a fragment such as "For dogs.", limits the lines below it."""
    items, is_case = items_of(words), first_word(words) in lists.OPENERS
    weighty = {it.stem for it in items} & lists.LIMITING
    if not is_heading(words):
        return is_case and words.rstrip().endswith(".") and len(WORD.findall(words)) <= _LONGEST_FRAGMENT
    if ASKS.match(words):
        return not weighty.isdisjoint(lists.REVERSING[0])
    is_event = any(it.form not in ("", *lists.PRESENT_FORMS) for it in items)
    has_bound = bool(weighty) and any(it.value for it in items)  # as "Children under 12"
    return is_case or is_event or has_bound or not weighty.isdisjoint(lists.REVERSING[0] | lists.MODAL_VERBS)


@lru_cache(maxsize=1024)
def _calls_wrong(heading: str) -> bool:
    words = WORD.findall(heading.casefold())
    return any(map(lists.casts_doubt, words)) or bool(lists.CALLS_WRONG.search(heading))


def is_draft_file(source: str) -> bool:
    """Tells whether the name of a file says that the file is a draft, or not valid, as in "spec_draft.md"."""
    name = "" if "://" in source else _SEPARATOR.sub(" ", source.rpartition("/")[2]).casefold()
    return _calls_wrong(name) or not lists.DRAFTS.isdisjoint(name.split())


def _next_line_comments(line: str, after: str) -> bool:
    """Tells whether the next line (`after`) comments on the whole `line`, as in "The court rejected this"."""
    items, subject = items_of(line), next(iter(items_of(after)), _NO_ITEM)
    verbs = {item.stem: item.word for item in items if item.form and item.stem}
    if subject.word != verbs.get(subject.stem, subject.word) and not subject.form:
        return True  # as in "It is approved. The approval was revoked."
    told = {item.key for item in items}
    references = (
        {it.key for it in items_of(word)} for word in lists.REFERENCE.findall(after) if not unit_of(word)
    )
    return any(not (keys and keys <= told) for keys in references)


def find_referent(sentences: Sequence[str], pronoun: str) -> tuple[frozenset[str], frozenset[str]]:
    """Finds what `pronoun`, in the sentence after `sentences`, stands for. Returns two sets of `Item.key`.

    After "The weir is a dam", the first set has the thing ("weir"), the second set also its kind ("dam"). For
    an unclear pronoun, both have "" and all keys since the last sentence that begins without a pronoun.
    """
    told, is_sure = {""}, True
    for text in reversed(sentences[-_FARTHEST:]):
        if items := items_of(text):
            told |= {item.key for item in items}
            verb = verb_index([_NO_ITEM if it.word in lists.OPENERS else it for it in items], 0)
            verb = 0 if _REQUEST.match(text) else verb
            is_first = first_word(text) not in lists.PRONOUNS
            found, rest = _subject_items(text, items, verb), items[verb:] if verb and items[verb].form else ()
            start = -1 if is_first and not verb else found[-1].end if is_first and found else 0
            names = [it for it in items if it.is_name and not it.value]
            is_many = bool(found) and found[-1].word.endswith("s") and pronoun == "it" and verb > 0
            if is_many and names and len(text[names[0].start : names[-1].end].split()) == len(names):
                found, rest = names, ()  # as in "Few bridges are as old as the Selby Weir."
            elif pronoun:
                is_sure &= not lists.names_other_thing(text, [it[:2] for it in names], start, pronoun)
            if is_first:
                is_plural = " and " in text[: items[verb].start] or (found and found[-1].word.endswith("s"))
                if is_sure and found and (pronoun not in _PLURAL or is_plural):
                    subject = frozenset(it.key for it in found)
                    kinds = takewhile(lambda it: it.stem and it.word not in lists.OPENERS, rest)
                    return subject, subject.union(it.key for it in kinds)
                break
    return frozenset(told), frozenset(told)


def _subject_items(text: str, items: Sequence[Item], verb: int) -> Sequence[Item]:
    """Returns the items before the index `verb`. If `verb` is 0, returns all items, or a request's names."""
    if verb:
        verb -= items[verb - 1].word in lists.OPENERS  # in "is in Oster", the verb counts at "Oster"
        start = next((n for n, it in enumerate(items) if it.stem and it.word not in _ARTICLES), 0)
        comma = text.find(",", items[start].end, items[verb].start)
        found = [it for it in items[start:verb] if comma < 0 or it.start < comma]
        return [] if found and found[0].word in lists.OPENERS else found
    names = {n for n, it in enumerate(items) if it.is_name}
    owned = {n - 2 for n in names if n > 1 and items[n - 1].word in OF}
    owned |= {n + 1 for n in names if text.startswith(lists.POSSESSIVES, items[n].end)}
    is_whole = not names or not _REQUEST.match(text)
    return [it for n, it in enumerate(items) if is_whole or n in names | owned]


def plain_words(words: str) -> str:
    return " ".join(words.strip(MARKS).split()).casefold()


def is_same_item(item: Item, other: Item) -> bool:
    """Tells whether two items have the same stem, or values that are equal without rounding."""
    if item.value and other.value:
        return compare(item.value, other.value) == "equal" and not is_rounded(item.value, other.value)
    return bool(item.stem) and item.stem == other.stem
