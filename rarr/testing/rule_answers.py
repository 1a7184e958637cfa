"""Answers each prompt of the package with the embedded rules, in the form that the prompt asks for."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rarr.backends.rules.agreement import AGREES_COVERAGE, query_agreement, value_with_unit
from rarr.backends.rules.answer_overlap import containment
from rarr.backends.rules.atomic_facts import rule_facts
from rarr.backends.rules.baseline_components import other_value
from rarr.backends.rules.counterparts import Candidate, candidates, parsed_passage
from rarr.backends.rules.editing import change_of
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.questions import short_questions, value_questions
from rarr.backends.rules.support import claim_supports
from rarr.ledger.preservation import pres_lev
from rarr.records import Change, Check, Evidence, Query
from rarr.settings import Settings
from rarr.testing import writing_answers
from rarr.testing.card_answers import confirm_cards, read_cards
from rarr.testing.cited_statements import cited_statements
from rarr.testing.doubles import RETRIEVED_AT
from rarr.testing.noising_answers import errors, summarized
from rarr.tools.text.blocks_and_sentences import Span, sentences

_NOTHING = "(none)"  # how a prompt shows an empty variable
_BLANK = "____"
_BETWEEN = "\n* * *\n"  # between two evidences
_BREAK = "\n\n"  # between the sentences before the text and the text: separate blocks, which share subjects

Variables = Mapping[str, str]


def answer(prompt: str, variables: Variables) -> dict[str, Any]:
    """Answers a prompt, with its variables, as the JSON of its schema. `prompt` may end in `_in_context`.

    Raises `NotImplementedError` for an unknown prompt.
    """
    name = prompt.removesuffix("_in_context")
    if name not in _ANSWERS:
        raise NotImplementedError(f"the rules have no answer to prompt {prompt}")
    return _ANSWERS[name](variables)


def _queries(variables: Variables) -> dict[str, Any]:
    text = variables["text"]
    return {
        "questions": [
            {"question": question.text, "about": text[question.start : question.end]}
            for question in value_questions(text, variables.get("context"))
        ]
    }


def _targeted(variables: Variables) -> dict[str, Any]:
    text, context = variables["text"], variables["context"]
    wanted = [line.removeprefix("- ") for line in variables["sentences"].splitlines()]
    spans = [span for span in sentences(text) if " ".join(span.of(text).split()) in wanted]
    asked = [line.removeprefix("- ") for line in variables["asked"].splitlines()]
    questions_about = short_questions(text, None if context == _NOTHING else context, spans, asked)
    return {
        "questions": [
            {"question": question.text, "about": text[question.start : question.end]}
            for question in questions_about
        ]
    }


def _agreement(variables: Variables) -> dict[str, Any]:
    whole, _ = _whole(variables)
    judgement = query_agreement(whole, variables.get("context"), _query(variables), _evidence(variables))
    return {
        "text_answer": judgement.text_answer,
        "evidence_answer": judgement.evidence_answer,
        "reason": judgement.reason,
        "verdict": judgement.verdict,
    }


def _edit(variables: Variables) -> dict[str, Any]:
    whole, start = _whole(variables)
    check = Check(
        verdict="disagrees",
        text_answer=variables["text_answer"],
        evidence_answer=variables["evidence_answer"],
        query_id="q1",
        evidence_id="q1.1",
    )
    change = change_of(whole, _query(variables), check)
    if change is None or change.start < start:
        return {"span": "", "revision": ""}
    return _only_there(
        whole[start:], change.model_copy(update={"start": change.start - start, "end": change.end - start})
    )


def _searches(variables: Variables) -> list[str]:
    """Searches for the sentences of the text, as they stand."""
    text = variables["text"]
    return [" ".join(span.of(text).split()) for span in sentences(text)]


def _unchecked_edit(variables: Variables) -> dict[str, Any]:
    """Puts the other value of the evidence into the text, without asking whether the two disagree."""
    whole, _ = _whole(variables)
    context = variables.get("context")
    other = other_value(whole, context, _query(variables), _evidence(variables))
    answers = {"text_answer": other.text_answer, "evidence_answer": other.evidence_answer}
    return _edit({**variables, **answers})


def _only_there(text: str, change: Change) -> dict[str, Any]:
    """Writes the change with enough words around it that its span occurs in the text only once."""
    start, end = change.start, change.end
    while text.count(text[start:end]) > 1:
        before, after = re.search(r"\S*\s*$", text[:start]), re.match(r"\s*\S*", text[end:])
        start, end = before.start() if before else start, end + (after.end() if after else 0)
    return {
        "span": text[start:end],
        "revision": text[start : change.start] + change.new + text[change.end : end],
    }


def _rewritten(variables: Variables) -> str:
    """Corrects every value in the text that some evidence contradicts."""
    text = variables["text"]
    context = None if variables["context"] == _NOTHING else variables["context"]
    for quotation in variables["evidence"].split(_BETWEEN):
        evidence = _evidence({"evidence": quotation})
        for question in reversed(value_questions(text, context)):
            query = Query(id="q1", **question.model_dump())
            judged = query_agreement(text, context, query, evidence)
            check = Check(**judged.model_dump(), query_id="q1", evidence_id="q1.1")
            if judged.verdict == "disagrees" and (change := change_of(text, query, check)):
                text = text[: change.start] + change.new + text[change.end :]
    return text


def _intent(variables: Variables) -> dict[str, Any]:
    """Judges that the intent is preserved if at least half of the text's characters are."""
    kept = pres_lev(variables["text"], variables["revision"])
    verdict = "completely" if kept >= 0.5 else "mostly" if kept >= 0.3 else "not"
    return {"reason": f"{kept:.2f} of it is left.", "verdict": verdict}


def _attribution(variables: Variables) -> dict[str, Any]:
    """Judges attribution by the least support of a sentence; unjudged text is not attributable."""
    whole, start = _whole(variables)
    spans = [span for span in sentences(whole) if span.start >= start]
    judged = claim_supports(whole, variables.get("context"), spans, _evidence(variables))
    least = min((score for score in judged if score is not None), default=None)
    if least is None:
        return {"reason": "The rules find nothing to compare.", "verdict": "extrapolatory"}
    enough = least >= Settings.model_fields["support_threshold"].default
    return {"reason": f"Support is {least:.2f}.", "verdict": "attributable" if enough else "extrapolatory"}


def _reading(variables: Variables) -> dict[str, Any]:
    """Answers a question with the value of its kind in the most similar sentence of the passage.

    The answer is "not stated" if no sentence is similar enough.
    """
    interrogative = next(
        ((word, kind) for word, kind in _INTERROGATIVES.items() if word in variables["query"]), None
    )
    if interrogative is None:
        return {"answer": "not stated"}
    claimed = variables["query"].replace(interrogative[0], _GAPS[interrogative[1]], 1).rstrip("?") + "."
    best = _counterpart(claimed, interrogative[1], variables)
    return {"answer": value_with_unit(best.sentence, best.value) if best else "not stated"}


def _counterpart(claimed: str, kind: str, variables: Variables) -> Candidate | None:
    """Finds the value of the passage that stands where the claim has its placeholder for this `kind`.

    None if no sentence of the passage is similar enough.
    """
    evidence, claim, gap = _evidence(variables), parsed_sentence(claimed), _GAPS[kind]
    value = next((value for value in claim.values if claim.text[value.start : value.end] == gap), None)
    matches = candidates(claim, value, parsed_passage(evidence.text, evidence.title)) if value else []
    return next((match for match in matches if match.coverage >= AGREES_COVERAGE), None)


def _relabelled(variables: Variables, *labels: str) -> dict[str, Any]:
    """Judges attribution, and answers with the labels of another wording."""
    judged = _attribution(variables)
    named = dict(zip(("attributable", "extrapolatory", "contradictory"), labels, strict=True))
    return judged | {"verdict": named[judged["verdict"]]}


def _whole(variables: Variables) -> tuple[str, int]:
    """Joins the sentences before the text with the text; returns them and the offset of the text."""
    before = variables.get("before", _NOTHING)
    lead = "" if before in ("", _NOTHING) else before + _BREAK
    return lead + variables["text"], len(lead)


def _query(variables: Variables) -> Query:
    """Makes the query, with the range for which the rules would ask it, or else that of the whole text."""
    whole, start = _whole(variables)
    text = variables["query"]
    place = next(
        (
            Span(question.start, question.end)
            for question in value_questions(whole, variables.get("context"))
            if question.text == text and question.start >= start
        ),
        Span(start, len(whole)),
    )
    return Query(id="q1", text=text, start=place.start, end=place.end)


def _evidence(variables: Variables) -> Evidence:
    titled = re.fullmatch(r"# (?P<title>[^\n]+)\n(?P<text>.+)", variables["evidence"], re.DOTALL)
    text, title = (titled["text"], titled["title"]) if titled else (variables["evidence"], "")
    return Evidence(
        id="q1.1", query_id="q1", text=text, title=title, source="prompt", start=0, end=len(text),
        relevance=1.0, retrieved_at=RETRIEVED_AT,
    )  # fmt: skip


_INTERROGATIVES = {
    "on which day": "date", "when": "date", "which number in order": "number", "how much money": "number",
    "how many": "number", "what title": "name", "who or what": "name", "whom or what": "name",
}  # fmt: skip
"""The interrogatives of the embedded questions, with the kind of value that they stand for."""
_GAPS = {"date": "1066", "number": "77", "name": "Xanthippe Quux"}
"""A value of each kind, put where the question has its interrogative."""


def _level(variables: Variables) -> str:
    right = any(containment(variables["answer"], line) == 1 for line in variables["references"].splitlines())
    return "perfect" if right else "completely wrong"


_ANSWERS: dict[str, Callable[[Variables], dict[str, Any]]] = {
    "check_agreement": read_cards,
    "check_agreement_doubt": confirm_cards,
    "generate_queries": _queries,
    "target_queries": _targeted,
    "search_queries": lambda variables: {"queries": _searches(variables)},
    "read_evidence": _reading,
    "score_answer": lambda variables: {"reason": "", "level": _level(variables)},
    "recall_answer": lambda variables: {"answer": "not known"},
    "check_agreement_paper": _agreement,
    "edit": _edit,
    "edit_unchecked": _unchecked_edit,
    "correct_text": lambda variables: {"revision": _rewritten(variables)},
    "rewrite_text": lambda variables: {"revision": _rewritten(variables)},
    "judge_intent": _intent,
    "judge_attribution": _attribution,
    "judge_as_facts": lambda variables: _relabelled(
        variables, "supported", "not enough information", "refuted"
    ),
    "judge_as_nli": lambda variables: _relabelled(variables, "entailment", "neutral", "contradiction"),
    "judge_as_summary": lambda variables: _relabelled(
        variables, "support", "not enough information", "contradict"
    ),
    "split_facts": lambda variables: {"facts": rule_facts(variables["text"])},
    "summarize": lambda variables: {
        "summary": summarized(variables["query"], variables["evidence"].split(_BETWEEN))
    },
    "answer_with_citations": lambda variables: {
        "statements": cited_statements(variables["question"], variables["sources"])
    },
    "outline": writing_answers.planned,
    "write_section": writing_answers.written_section,
    "write_article": writing_answers.written_article,
    "smooth": lambda variables: {"text": variables["text"]},
    "corrupt": lambda variables: {"errors": errors(variables["text"])},
}
