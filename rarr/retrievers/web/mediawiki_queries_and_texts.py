"""Writes queries in MediaWiki's search language, and reads the texts that MediaWiki returns."""

import re

from rarr.retrievers.corpus.index_words import telling

_LONGEST_QUERY = 250  # characters; Wikipedia refuses more than 300
_OPERATORS = re.compile(r"[\"“”„«»!?*~:|&/\\(){}\[\]<>^=`;]+")
_LEADING = re.compile(r"(?<!\S)[-–—+']+|[,.']+(?!\S)")

_MARKED = re.compile(r"(#{1,6}) (.*)")
_FORMULA = re.compile(r"\s*\{\\displaystyle (.*)\}\s*")
_GOES_ON = re.compile(r"[ ,.;:)]")

# Headings of sections that are not about the subject, in the languages of the largest editions.
_NO_SUBJECTS = """
    references; external links; see also; further reading; notes; bibliography; citations; notes and
    references; sources; footnotes; works cited; explanatory notes; general references; einzelnachweise;
    weblinks; siehe auch; literatur; anmerkungen; quellen; notes et références; références; liens
    externes; voir aussi; bibliographie; annexes; referencias; enlaces externos; véase también;
    bibliografía; notas; note; collegamenti esterni; voci correlate; bibliografia; altri progetti;
    referências; ligações externas; ver também; bronnen, noten en/of referenties; externe links;
    przypisy; linki zewnętrzne; zobacz też; примечания; ссылки; литература; см. также; 脚注;
    外部リンク; 関連項目; 参考文献; 参考资料; 外部链接; 参见; 參見; 外部連結
"""
_DROPPED = frozenset(" ".join(_NO_SUBJECTS.split()).split("; "))


def search_words(question: str) -> list[str]:
    """Returns searches to try in turn: the question, all its content words, any of its content words.

    No word is an operator of MediaWiki's search. The list is empty where there is nothing to search for.
    """
    plain = _LEADING.sub(" ", _OPERATORS.sub(" ", question))
    # Written in capitals, these words are operators.
    words = [word.lower() if word in ("AND", "OR", "NOT") else word for word in plain.split()]
    question_words = [" ".join(words)] if len(" ".join(words)) <= _LONGEST_QUERY else []
    content = telling(" ".join(words))
    fallbacks = [_fitting(content, " ") or _fitting(words, " "), _fitting(content, " OR ")]
    return [search for search in dict.fromkeys([*question_words, *fallbacks]) if search]


def _fitting(words: list[str], joined: str) -> str:
    """Joins as many of `words`, from the first, as one search may hold (250 characters)."""
    kept = ""
    for word in words:
        longer = f"{kept}{joined}{word}" if kept else word[:_LONGEST_QUERY]
        if len(longer) > _LONGEST_QUERY:
            break
        kept = longer
    return kept


def article_text(extract: str) -> str:
    """Turns a plain text of TextExtracts into Markdown, without references and similar sections."""
    lines = filter(None, map(str.strip, _with_plain_formulas(extract)))
    return _without_apparatus(list(map(_with_mark, lines)))


def _with_mark(line: str) -> str:
    """Turns a wiki heading into Markdown: == Fruit == into ## Fruit. Other lines stay as they are.

    Uses no pattern, since hostile lines would take time in proportion to the square of their length.
    """
    before, after = (len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")))
    level = min(before, after, 6)
    words = line[level : len(line) - level].strip(" \t")
    return f"{'#' * level} {words}" if level and words else line


def _without_apparatus(blocks: list[str]) -> str:
    """Joins blocks of Markdown, without sections such as references and without their subsections."""
    kept: list[str] = []
    dropped = 7  # the level of the heading whose section is left out; 7: no section is
    for block in blocks:
        if heading := _MARKED.fullmatch(block):
            level = len(heading[1])
            if level <= dropped:
                dropped = level if heading[2].casefold() in _DROPPED else 7
        if dropped == 7:
            kept.append(block)
    return "\n\n".join(kept)


def _with_plain_formulas(extract: str) -> list[str]:
    """Returns the lines of an extract, with each formula as TeX inside the line of its sentence.

    An extract holds each formula as a tree of indented lines of one letter each, and then once more as TeX.
    Indented lines are left out.
    """
    lines = [""]
    after_formula = False
    for line in extract.split("\n"):
        if formula := _FORMULA.fullmatch(line):
            lines[-1] = f"{lines[-1].rstrip()} {formula[1]}".strip()
            after_formula = True
        elif line.strip() and not line.startswith("  "):
            if after_formula and _GOES_ON.match(line):
                lines[-1] += line.rstrip()
            else:
                lines.append(line)
            after_formula = False
    return lines
