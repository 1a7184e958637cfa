"""Answers the prompts that `RuleModel` does not: questions, `paper`, judges, writing and training, by rules.

A passage decides about a sentence that it nearly repeats.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rarr.backends.embedded.items import Line, items_of, lines_of
from rarr.backends.embedded.near_quotes import card_of
from rarr.backends.embedded.values.reading import values
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.retrievers.corpus.index_words import all_stems
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

_NOTHING = "(none)"  # how a prompt shows an empty variable
_BETWEEN = "\n* * *\n"  # between two evidences

Variables = Mapping[str, str]


class AskedSentence(NamedTuple):
    """A sentence with its question, the words that the question asks for, and the text before it."""

    sentence: str
    question: str
    about: str
    above: str


def _asked(variables: Variables) -> Iterator[AskedSentence]:
    """Yields each sentence that has a value or words with meaning.

    Its question has "what" in place of its values, so that it does not tell them.
    """
    text, above = variables["text"], f"{_given(variables, 'context')}\n{_given(variables, 'before')}"
    for span in sentences(text):
        sentence = question = span.of(text)
        found = values(sentence)
        for value in reversed(found):
            question = f"{question[: value.start]}what{question[value.end :]}"
        if found or items_of(sentence):
            question = " ".join(question.rstrip(".!").split()) + "?"
            yield AskedSentence(sentence, question, found[0].text if found else sentence, above)
        above += f"\n{sentence}"


def _questions(variables: Variables) -> dict[str, Any]:
    return {"questions": [{"question": it.question, "about": it.about} for it in _asked(variables)]}


def _targeted(variables: Variables) -> dict[str, Any]:
    mark = re.compile(r"\[S\d+\] ")
    wanted = {part.partition("\n")[0] for part in mark.split(variables["text"])[1:]}
    asked = _asked({**variables, "text": mark.sub("", variables["text"])})
    found = [it for it in asked if any(line.startswith(it.sentence) for line in wanted)]
    return {"questions": [{"question": it.question, "about": it.about} for it in found]}


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
    said = {"text_answer": "", "evidence_answer": ""}
    if verdict in ("agrees", "disagrees"):
        said = {"text_answer": sentence, "evidence_answer": quoted[0].text}
        for edit in card.edits[:1]:
            said = {"text_answer": edit.old, "evidence_answer": edit.by}
    return said | {"reason": "So it is.", "verdict": verdict}


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
    return {"reason": "", "verdict": "contradictory" if "no" in verdicts else judged}


def _sentence_queries(variables: Variables) -> dict[str, Any]:
    return {"queries": [" ".join(it.of(variables["text"]).split()) for it in sentences(variables["text"])]}


def _given(variables: Variables, name: str) -> str:
    return "" if variables.get(name, _NOTHING) == _NOTHING else variables[name]


_DIGITS = re.compile(r"\d+(?!.*\d)")


def _summarized(variables: Variables) -> dict[str, Any]:
    """Joins the first sentences of the first two evidences."""
    texts = (re.sub(r"^# .*\n", "", passage) for passage in variables["evidence"].split(_BETWEEN)[:2])
    return {"summary": " ".join(dict.fromkeys(split_sentences(text)[0].of(text) for text in texts))}


def _errors(variables: Variables) -> dict[str, Any]:
    """Proposes one error: another date or number; none if it cannot."""
    for value in values(text := variables["text"]):
        wrong = _DIGITS.sub(lambda it: str(int(it[0]) + 3), value.text)
        kind = "date" if value.kind == "date" else "number"
        if wrong != value.text and text.count(value.text) == 1:
            return {"errors": [{"right": value.text, "wrong": wrong, "kind": kind}]}
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
    "search_queries": _sentence_queries,
    "judge_intent": lambda variables: {"reason": "", "level": "completely"},
    "answer_question": lambda variables: {"answer": "Hoover Dam is 212 metres high."},
    "check_agreement_paper": _agreement,
    "edit": _edit,
    "correct_text": _rewritten,
    "rewrite_text": _rewritten,
    "judge_attribution": _attribution,
    "summarize": _summarized,
    "outline": lambda variables: {"sections": ["Overview"]},
    "write_section": lambda variables: {"text": _quoted(variables)},
    "corrupt": _errors,
}
