"""Answers the prompts that `RuleModel` does not: questions, `paper`, judges, writing and training, by rules.

A passage decides about a sentence that it nearly repeats.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rarr.backends.embedded.items import Line, items_of, lines_of
from rarr.backends.embedded.near_quotes import card_of
from rarr.backends.embedded.values import values
from rarr.backends.embedded.words import PRONOUNS
from rarr.backends.phrases import phrases
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.retrievers.corpus.index_words import all_stems, query_words
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

_NOTHING = "(none)"  # how a prompt shows an empty variable
_BETWEEN = "\n* * *\n"  # between two evidences
_NAME = re.compile(r"(?:\b[A-Z][\w'’-]*\s?)+")

Variables = Mapping[str, str]


class AskedSentence(NamedTuple):
    """A sentence with its question, the words that the question asks for, and the text before it."""

    sentence: str
    question: str
    about: str
    above: str


def _asked(variables: Variables) -> Iterator[AskedSentence]:
    """Yields each sentence that has a value or words with meaning.

    Its question has "what" in place of its values, so that it does not tell them. A sentence that begins with
    a pronoun is asked about with the last name above it.
    """
    text, above = variables["text"], f"{_given(variables, 'context')}\n{_given(variables, 'before')}"
    for span in sentences(text):
        sentence, question, names = span.of(text), span.of(text), _NAME.findall(above)
        found = values(sentence)
        for value in reversed(found):
            question = f"{question[: value.start]}what{question[value.end :]}"
        if names and sentence.split()[0].casefold() in PRONOUNS:
            question = f"{names[-1].strip()}: {question}"
        if found or items_of(sentence):
            question = " ".join(question.rstrip(".!").split()) + "?"
            yield AskedSentence(sentence, question, found[0].text if found else sentence, above)
        above += f"\n{sentence}"


def _questions(variables: Variables) -> dict[str, Any]:
    return {"questions": [{"question": it.question, "about": it.about} for it in _asked(variables)]}


def _targeted(variables: Variables) -> dict[str, Any]:
    mark = re.compile(r"\[S\d+\] ")
    wanted = {part.partition("\n")[0] for part in mark.split(variables["text"])[1:]}
    before = [line.removeprefix("- ") for line in variables["asked"].splitlines()]
    asked = _asked({**variables, "text": mark.sub("", variables["text"])})
    return {
        "questions": [
            {"question": it.question, "about": it.about}
            for it in asked
            if it.question not in before and any(line.startswith(it.sentence) for line in wanted)
        ]
    }


def _lines(evidence: str) -> tuple[Line, ...]:
    """Reads the sentences of the evidences in a prompt, each under its title."""
    lines: list[Line] = []
    for number, part in enumerate(evidence.split(_BETWEEN)):
        title, _, text = part[2:].partition("\n") if part.startswith("# ") else ("", "", part)
        spans = enumerate(split_sentences(text))
        found = [SourceLine(f"{number}.{n}", span.of(text), "", *span) for n, span in spans]
        lines += lines_of(Excerpt("", title, "", tuple(found)))
    return tuple(lines)


def _card(variables: Variables) -> tuple[str, RawCard, Sequence[Line]]:
    """Reads the sentence of the query beside the evidence; returns its card, and the lines of the card."""
    query = set(all_stems(variables["query"]))
    lines, found = _lines(variables["evidence"]), list(_asked(variables))
    best = max(found, key=lambda it: len(query.intersection(all_stems(it.question))), default=None)
    if best is None:
        return "", RawCard("none"), ()
    card = card_of(best.sentence, best.above, lines)
    return best.sentence, card, [line for line in lines if set(line.labels) & set(card.quotes)]


def _agreement(variables: Variables) -> dict[str, Any]:
    sentence, card, quoted = _card(variables)
    verdict = {"yes": "agrees", "no": "disagrees", "mixed": "unknown"}.get(card.verdict, "irrelevant")
    own, other = sentence, quoted[0].text if quoted else ""
    if card.verdict == "no" and card.edits:
        own, other = card.edits[0].old, card.edits[0].by
    is_answered = verdict in ("agrees", "disagrees")
    return {
        "text_answer": own if is_answered else "",
        "evidence_answer": other if is_answered else "",
        "reason": "The evidence nearly repeats the sentence." if quoted else "It says nothing about it.",
        "verdict": verdict,
    }


def _edit(variables: Variables) -> dict[str, Any]:
    """Writes the text anew, with what differs replaced."""
    sentence, card, _ = _card(variables)
    corrected = _corrected(sentence, card)
    return {"span": sentence, "revision": variables["text"].replace(sentence, corrected, 1)}


def _corrected(sentence: str, card: RawCard) -> str:
    for edit in card.edits if card.verdict == "no" else ():
        sentence = sentence.replace(edit.old, edit.new, 1)
    return sentence


def _rewritten(variables: Variables) -> dict[str, Any]:
    """Corrects each sentence that some evidence nearly repeats."""
    text, lines = variables["text"], _lines(variables["evidence"])
    for it in _asked(variables):
        text = text.replace(it.sentence, _corrected(it.sentence, card_of(it.sentence, it.above, lines)), 1)
    return {"revision": text}


def _attribution(variables: Variables) -> dict[str, Any]:
    """Judges all sentences together."""
    lines = _lines(variables["evidence"])
    verdicts = {card_of(it.sentence, it.above, lines).verdict for it in _asked(variables)} - {"none"}
    judged = "attributable" if verdicts == {"yes"} else "extrapolatory"
    judged = "contradictory" if "no" in verdicts else judged
    return {"reason": f"The sentences are: {', '.join(sorted(verdicts))}.", "verdict": judged}


def _level(variables: Variables) -> dict[str, Any]:
    said = set(all_stems(variables["answer"]))
    right = any(set(all_stems(line)) <= said for line in variables["references"].splitlines())
    return {"reason": "", "level": "perfect" if right else "completely wrong"}


def _sentences(text: str) -> list[str]:
    return [" ".join(span.of(text).split()) for span in sentences(text)]


def _given(variables: Variables, name: str) -> str:
    return "" if variables.get(name, _NOTHING) == _NOTHING else variables[name]


_SOURCE = re.compile(r"^\[(?P<number>\d+)\] (?P<text>.+)$", re.MULTILINE)


def _cited(variables: Variables) -> dict[str, Any]:
    """Copies the sources that have most words of the question; without one, a statement says so."""
    wanted = {stem for word in query_words(variables["question"]) for stem in all_stems(word)}
    listed = [(match["text"], int(match["number"])) for match in _SOURCE.finditer(variables["sources"])]
    shared = {number: len(wanted.intersection(all_stems(text))) for text, number in listed}
    best = max(shared.values(), default=0)
    found: list[tuple[str, list[int]]] = [(text, [it]) for text, it in listed if shared[it] == best]
    if not best:
        found = [("The sources do not say it.", [])]
    return {"statements": [{"text": text, "citations": it, "needs_support": not it} for text, it in found]}


_PERSON = "Edith Marlowe"  # to replace names
_DIGITS = re.compile(r"\d+(?!.*\d)")


def _summarized(variables: Variables) -> dict[str, Any]:
    """Joins at most two sentences, each of another evidence.

    Of an evidence it is the sentence with a value or name that shares most words with the query.
    """
    wanted = {item.stem for item in items_of(variables["query"]) if item.stem}
    best: list[str] = []
    for passage in variables["evidence"].split(_BETWEEN):
        text = re.sub(r"^# .*\n", "", passage)
        told = [span.of(text) for span in split_sentences(text) if phrases(span.of(text))]
        shared = {each: len(wanted & {item.stem for item in items_of(each)}) for each in told}
        closest = max(told, key=lambda each: shared[each], default="")
        if closest and shared[closest] and closest not in best:
            best.append(closest)
    return {"summary": " ".join(best[:2])}


def _errors(variables: Variables) -> dict[str, Any]:
    """Proposes one error: another date or number, or else another name; none if it cannot."""
    text = variables["text"]
    for span in split_sentences(text):
        sentence = span.of(text)
        for phrase in sorted(phrases(sentence), key=lambda phrase: phrase.items[0].is_name):
            right, first = sentence[phrase.start : phrase.end], phrase.items[0]
            wrong = _PERSON if first.is_name else _DIGITS.sub(lambda it: str(int(it[0]) + 3), right)
            kind = "other" if first.value is None else "date" if first.value.kind == "date" else "number"
            if wrong != right and text.count(right) == 1:
                return {"errors": [{"right": right, "wrong": wrong, "kind": kind}]}
    return {"errors": []}


def _quoted(variables: Variables) -> str:
    """Quotes the first sentence about the topic of each numbered document."""
    pieces, told = re.split(r"^\[(\d+)\] ", variables["documents"], flags=re.MULTILINE)[1:], list[str]()
    for number, text in zip(pieces[::2], pieces[1::2], strict=True):
        about = [span.of(text) for span in split_sentences(text) if variables["topic"] in span.of(text)]
        told += [f"{it} [{number}]" for it in about[:1]]
    return " ".join(told)


PROMPT_ANSWERS: dict[str, Callable[[Variables], dict[str, Any]]] = {
    "generate_queries": _questions,
    "target_queries": _targeted,
    "search_queries": lambda variables: {"queries": _sentences(variables["text"])},
    "score_answer": _level,
    "judge_intent": lambda variables: {
        "reason": "",
        "level": "completely" if len(variables["revised"]) > 20 else "not",
    },
    "answer_question": lambda variables: {"answer": "Hoover Dam is 212 metres high."},
    "check_agreement_paper": _agreement,
    "edit": _edit,
    "correct_text": _rewritten,
    "rewrite_text": _rewritten,
    "judge_attribution": _attribution,
    "summarize": _summarized,
    "answer_with_citations": _cited,
    "outline": lambda variables: {"sections": ["Overview"]},
    "write_section": lambda variables: {"text": _quoted(variables)},
    "corrupt": _errors,
}
