"""Answers each prompt of the package without a model, in the form that the prompt asks for.

A sentence is read as the embedded reader of near quotations reads it: a passage decides about a sentence that
it nearly repeats.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rarr.backends.embedded.items import Line, items_of, lines_of
from rarr.backends.embedded.near_quotes import card_of
from rarr.backends.embedded.values import states, values
from rarr.backends.embedded.words import is_pronoun
from rarr.components import Excerpt, RawCard, SourceLine
from rarr.retrievers.corpus.index_words import stems
from rarr.testing import writing_answers
from rarr.testing.card_answers import confirm_cards, read_cards
from rarr.testing.cited_statements import cited_statements
from rarr.testing.noising_answers import errors, summarized
from rarr.tools.text.blocks_and_sentences import sentences, split_sentences

_NOTHING = "(none)"  # how a prompt shows an empty variable
_BETWEEN = "\n* * *\n"  # between two evidences
_NAME = re.compile(r"(?:\b[A-Z][\w'’-]*\s?)+")

Variables = Mapping[str, str]


def answer(prompt: str, variables: Variables) -> dict[str, Any]:
    """Answers a prompt, with its variables, as the JSON of its schema. `prompt` may end in `_in_context`.

    Raises `NotImplementedError` for an unknown prompt.
    """
    name = prompt.removesuffix("_in_context")
    if name not in _ANSWERS:
        raise NotImplementedError(f"there is no answer to prompt {prompt}")
    return _ANSWERS[name](variables)


class Asked(NamedTuple):
    """A sentence with its question, the words that the question asks for, and the text before it."""

    sentence: str
    question: str
    about: str
    above: str


def _asked(variables: Variables) -> Iterator[Asked]:
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
        if names and is_pronoun(sentence.split()[0].casefold()):
            question = f"{names[-1].strip()}: {question}"
        if found or items_of(sentence):
            question = " ".join(question.rstrip(".!").split()) + "?"
            yield Asked(sentence, question, found[0].text if found else sentence, above)
        above += f"\n{sentence}"


def _questions(variables: Variables) -> dict[str, Any]:
    return {"questions": [{"question": it.question, "about": it.about} for it in _asked(variables)]}


def _targeted(variables: Variables) -> dict[str, Any]:
    wanted, before = (
        [line.removeprefix("- ") for line in variables[name].splitlines()] for name in ("sentences", "asked")
    )
    asked = [it for it in _asked(variables) if " ".join(it.sentence.split()) in wanted]
    return {
        "questions": [
            {"question": it.question, "about": it.about} for it in asked if it.question not in before
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
    query = set(stems(variables["query"]))
    lines, found = _lines(variables["evidence"]), list(_asked(variables))
    best = max(found, key=lambda it: len(query.intersection(stems(it.question))), default=None)
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
    """Replaces what differs; the whole sentence where it differs in several places."""
    sentence, card, _ = _card(variables)
    if card.verdict != "no" or not card.edits:
        return {"span": "", "revision": ""}
    edit = card.edits[0]
    if len(card.edits) == 1 and variables["text"].count(edit.old) == 1:
        return {"span": edit.old, "revision": edit.new}
    return {"span": sentence, "revision": _corrected(sentence, card)}


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


def _attribution(variables: Variables, *labels: str) -> dict[str, Any]:
    """Judges all sentences: attributable, extrapolatory or contradictory, or the `labels` in their place."""
    lines = _lines(variables["evidence"])
    verdicts = {card_of(it.sentence, it.above, lines).verdict for it in _asked(variables)} - {"none"}
    verdict = 2 if "no" in verdicts else 0 if verdicts == {"yes"} else 1
    names = labels or ("attributable", "extrapolatory", "contradictory")
    found = ", ".join(sorted(verdicts)) or "nothing to compare"
    return {"reason": f"The sentences are: {found}.", "verdict": names[verdict]}


def _reading(variables: Variables) -> dict[str, Any]:
    """Answers with a value of the sentence that shares at least half of its words with the question."""
    wanted = set(stems(variables["query"].replace("what", "")))
    shared = {line.text: len(wanted.intersection(stems(line.text))) for line in _lines(variables["evidence"])}
    best = max(shared, key=lambda text: shared[text], default="")
    new = [value.text for value in values(best) if not states(variables["query"], value)]
    is_close = bool(new) and 2 * shared[best] >= len(wanted)
    return {"answer": new[0] if is_close else "not stated"}


def _level(variables: Variables) -> dict[str, Any]:
    said = set(stems(variables["answer"]))
    right = any(set(stems(line)) <= said for line in variables["references"].splitlines())
    return {"reason": "", "level": "perfect" if right else "completely wrong"}


def _sentences(text: str) -> list[str]:
    return [" ".join(span.of(text).split()) for span in sentences(text)]


def _given(variables: Variables, name: str) -> str:
    return "" if variables.get(name, _NOTHING) == _NOTHING else variables[name]


_ANSWERS: dict[str, Callable[[Variables], dict[str, Any]]] = {
    "check_agreement": read_cards,
    "check_agreement_doubt": confirm_cards,
    "generate_queries": _questions,
    "target_queries": _targeted,
    "search_queries": lambda variables: {"queries": _sentences(variables["text"])},
    "read_evidence": _reading,
    "score_answer": _level,
    "recall_answer": lambda variables: {"answer": "not known"},
    "check_agreement_paper": _agreement,
    "edit": _edit,
    "edit_unchecked": _edit,
    "correct_text": _rewritten,
    "rewrite_text": _rewritten,
    "judge_attribution": _attribution,
    "split_facts": lambda variables: {"facts": _sentences(variables["text"])},
    "summarize": lambda variables: {
        "summary": summarized(variables["query"], variables["evidence"].split(_BETWEEN))
    },
    "answer_with_citations": lambda variables: {
        "statements": cited_statements(variables["question"], variables["sources"])
    },
    "outline": writing_answers.planned,
    "write_section": writing_answers.written_section,
    "write_article": writing_answers.written_article,
    "corrupt": lambda variables: {"errors": errors(variables["text"])},
}
