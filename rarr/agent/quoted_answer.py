"""Answers questions without a language model: quotes triples and sentences with the words of the question."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rarr.backends.embedded.antecedents import QuestionWords
from rarr.backends.embedded.extractive_writing import is_hedged, quotable_sentences, value_conflicts
from rarr.backends.embedded.items import ASKS, items_of
from rarr.backends.embedded.words import FUNCTION_WORDS, LIMITING, MODAL_VERBS, language_of
from rarr.records.citations import AnswerSource, Statement
from rarr.retrievers.corpus.index_words import content_stems
from rarr.retrievers.graph.triples import sentence_of
from rarr.tools.models.run_budget import meter

_OVERVIEW = 8  # triples of an entity, quoted for a question that only names it
_QUOTED = 5  # sentences that are quoted for the same words
_WORD = re.compile(r"\d{1,3}(?:[ \xa0\u202f'’]\d{3})+\b|\d+(?:[.,:]\d+)+|\w+")  # 15,000 is one word
_NAME = re.compile(r"(?<=\w )[^\W\d_a-zà-ÿ]\w*")  # a word in a capital, not the first one
_UNJUDGED = "Only a language model can judge whether these quotes answer each part of the question."

_Quote = tuple[set[str], int, str]
"""Words of a triple or sentence, the number of its source, and its text."""


def quoted_answer(question: str, sources: Sequence[AnswerSource]) -> list[Statement]:
    """Quotes the triples that the question asks for, and the sentences that share most of its other words.

    A sentence that may only report what others say is `unjudged`. The last statements need support. They name
    these sentences, values about which sources differ, and words of the question that no quote has, and tell
    that the quotes were not judged.
    """
    asked, small, quotes = content_stems(question), _small_stems(question), dict[str, dict[int, None]]()
    triples, keys = _asked_for(asked, sources), QuestionWords.of_question(question).words
    said = set[str]().union(*(words for words, *_ in triples))
    sharing = list(_sharing(question, (set(asked) - said or set(asked)) - small, sources))
    for words, number, text in [*triples, *sharing]:
        quotes.setdefault(text, {})[number] = None
        said |= words
    framed = list(dict.fromkeys(text for _, _, text in sharing if is_hedged(text, keys)))
    gaps = [f"This may only be what others say, or hold in one case: {it}" for it in framed]
    found = [
        Statement(
            text=text,
            status="unjudged" if text in framed else "supported",
            citations=(*ids,),
            written=len(ids),
            existing=len(ids),
        )
        for text, ids in quotes.items()
    ]
    passages = {it.number: it.passage for it in sources}
    names = _names(question)
    telling = [it for it in sharing if it[0] - names or names.issuperset(set(asked) - small)]
    for values in dict.fromkeys(value_conflicts([(text, passages[number]) for _, number, text in telling])):
        gaps.append(f"The sources differ, and nobody judged which of them answers: {values}.")
        meter().warn("sources_disagree", f"the sources disagree: {values}")
    found += [Statement(text=gap, needs_support=True) for gap in gaps]
    if not quotes:
        cure = "A language model also finds answers in other words: name one with --model."
        lack = f'No sentence of the sources has enough words of this question: "{question}". {cure}'
        found.append(Statement(text=lack, status="no_evidence", needs_support=True))
    elif lost := [it for it in _WORD.findall(question) if not (said | small).issuperset(content_stems(it))]:
        lack = f'No quote has these words of the question "{question}": {", ".join(lost)}.'
        found.append(Statement(text=lack, status="no_evidence", needs_support=True))
    if quotes:
        found.append(Statement(text=_UNJUDGED, needs_support=True))
    return found


def _small_stems(question: str) -> set[str]:
    """Returns the stems of words that no answer needs, such as "the" and "may", but not the month "May"."""
    words = _WORD.findall(question)
    small = MODAL_VERBS | FUNCTION_WORDS[language_of(map(str.casefold, words))]
    plain = [*(word.casefold() for word in words[:1]), *words[1:]]
    return {it for word in plain if word in small for it in content_stems(word)}


def _names(question: str) -> set[str]:
    return set(content_stems(" ".join(_NAME.findall(question))))


def _names_another(sentence: str, question: str) -> bool:
    """Tells whether the sentence has a longer name: "Velatrin Forte" for "Velatrin" in the question."""
    for name in set(_NAME.findall(question)):
        behind = re.findall(rf"\b{re.escape(name)}\b(?: ([^\W\d_a-zà-ÿ]\w*))?", sentence)
        if behind and all(word and word not in question for word in behind):
            return True
    return False


def _asked_for(asked: Sequence[str], sources: Sequence[AnswerSource]) -> list[_Quote]:
    """Returns the triples whose relation the question names, or whose sentence shares a word with it.

    Words of the subject do not count, nor words of a relation that the question names. If the question only
    names the value of a triple, words of its relation do not count. If the question has no other words than
    names of entities, returns the first eight triples.
    """
    lines, chosen, rest = list[tuple[_Quote, set[str]]](), set[int](), set(asked)
    for source, triple in ((it, it.triple) for it in sources if it.triple):
        relation, name, value = map(content_stems, (triple.relation, triple.subject, triple.value))
        text, is_named = source_text(source), set(name) <= set(asked)
        is_value, words = set(value) <= set(asked) and not is_named, set(content_stems(text))
        own = words.difference(relation, value if is_value else name)
        lines.append(((words.union(relation), source.number, text), own))
        rest -= set(name if is_named else ())
        if not is_value and f" {' '.join(relation)} " in f" {' '.join(asked)} ":
            chosen.add(source.number)
            rest -= set(relation)
    if not rest and not chosen:
        return [line for line, _ in lines[:_OVERVIEW]]
    return [line for line, own in lines if line[1] in chosen or not rest.isdisjoint(own)]


def _sharing(question: str, asked: set[str], sources: Sequence[AnswerSource]) -> Iterator[_Quote]:
    """Yields sentences that share words with the question: first those with the rarest words.

    If the question asks whether something is so or allowed, yields before them sentences with a limiting word
    such as "not" or "only" that share some words, and not only names. Words of a title count for each of its
    sentences. Leaves out sentences about another name or only one of several words, and those without a name
    of the question in a passage that lacks one.
    """
    lines, names = list[_Quote](), _names(question)
    for passage, number in ((it.passage, it.number) for it in sources if it.triple is None):
        is_about = names.issubset(content_stems(f"{passage.title}\n{passage.text}"))
        for sentence in (it for _, it, _ in quotable_sentences(passage) if not _names_another(it, question)):
            own = asked.intersection(content_stems(sentence))
            if own and (is_about or names & own):
                lines.append((own | asked.intersection(content_stems(passage.title)), number, sentence))
    may_be_denied = not ASKS.match(question) or any(it.stem in MODAL_VERBS for it in items_of(question))
    limiting = [line for line in lines if any(it.stem in LIMITING for it in items_of(line[2]))]
    common, left, fewest = Counter(it for words, *_ in lines for it in words), set(asked), min(2, len(asked))
    if may_be_denied:  # what is asked for may be forbidden, in other words
        near = (it for it in limiting if len(it[0]) >= fewest and (it[0] - names or asked <= names))
        yield from sorted(near, key=lambda line: -len(line[0]))[:_QUOTED]
    while lines := [(shared & left, n, text) for shared, n, text in lines if len(shared & left) >= fewest]:
        best, *_ = max(lines, key=lambda line: sum(1 / common[word] for word in line[0]))
        yield from [line for line in lines if line[0] == best][:_QUOTED]
        left -= best


def source_text(source: AnswerSource) -> str:
    """Returns the text of a source: the sentence that states its triple, or else its passage."""
    if (triple := source.triple) is None:
        return source.passage.text
    return " ".join(sentence_of(triple.subject, triple.relation, [triple.value]).split())
