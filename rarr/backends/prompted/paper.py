"""Asks a language model about one query and one evidence, as published (Gao et al. 2023, section 3.3).

The checker gives the answers of text and evidence, and then the verdict, which decides alone. The editor
names the words to change, and the words to put in their place.
"""

import re
from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel

from rarr.backends.prompted.prompts import Prompts, quoted_evidence, scope_of
from rarr.errors import ModelError
from rarr.records import Agreement, Change, Check, Evidence, ExpectedUsage, Query, Verdict
from rarr.tools.concurrency import work
from rarr.tools.guard.quotation import Quotation, quoted
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span


class AgreementAnswer(BaseModel):
    """The model's answer: both answers to the query, the reason and the verdict."""

    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""
    verdict: Verdict


class PromptedChecker:
    """An agreement checker that asks a language model, once for each query and evidence."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, whole_text: bool) -> None:
        """`whole_text`: the model reads the whole text, and not only the sentences of the query."""
        self._model, self._prompts, self._whole_text = model, prompts, whole_text

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one check."""
        return self._prompts.expected(
            self._model, "check_agreement_paper", text, context, whole=self._whole_text
        )

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the model for answers and a verdict.

        Raises `ModelError` for an answer that cannot be parsed, because it is no verdict.
        """
        scope = await work(partial(scope_of, text, query, whole=self._whole_text))
        looked_at = scope.span.of(text)
        prompt, variables = self._prompts.of(
            "check_agreement_paper",
            context,
            before=scope.before,
            text=looked_at,
            query=query.text,
            evidence=quoted_evidence(evidence),
        )
        answer = await self._model.ask(prompt, AgreementAnswer, variables)
        return Agreement(
            text_answer=quoted(prompt, looked_at).original(answer.text_answer),
            evidence_answer=quoted(prompt, quoted_evidence(evidence)).original(answer.evidence_answer),
            reason=answer.reason,
            verdict=answer.verdict,
        )


_DOUBLE, _SINGLE = '["“”„«»]', "['’‘`]"
_TOKEN = re.compile(r"\s+|\w+(?:[.,]\d+)*|[^\w\s]")
_GAP = re.compile(r"[\s.,;:!?)]|$")  # no space stands before these


class EditAnswer(BaseModel):
    """The model's answer: the words to change (`span`) and the new words. No `span` means no edit."""

    span: str = ""
    revision: str


class PromptedEditor:
    """An editor that asks a language model for one change. Only the words that the model names change."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, *, whole_text: bool, checked: bool = True
    ) -> None:
        """Without `checked`, no agreement was asked about, and the model may not decline an edit."""
        self._model, self._prompts, self._whole_text = model, prompts, whole_text
        self._checked = checked

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one edit."""
        name = "edit" if self._checked else "edit_unchecked"
        return self._prompts.expected(self._model, name, text, context, whole=self._whole_text)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Asks the model for a change to the sentences of the query, or to the whole text; None for none.

        Raises `ModelError` if the words to change do not occur in the text.
        """
        scope = await work(partial(scope_of, text, query, whole=self._whole_text))
        shown = {
            "before": scope.before,
            "text": scope.span.of(text),
            "query": query.text,
            "evidence": quoted_evidence(evidence),
        }
        if self._checked:
            answers = {"text_answer": check.text_answer, "evidence_answer": check.evidence_answer}
            prompt, variables = self._prompts.of("edit", context, **shown, **answers)
        else:
            prompt, variables = self._prompts.of("edit_unchecked", context, **shown)
        answer = await self._model.ask(prompt, EditAnswer, variables)
        if not answer.span.strip() or answer.span == answer.revision:
            return None
        quoted_text = quoted(prompt, scope.span.of(text))
        about = Span(query.start, query.end).moved(-scope.span.start)
        change = await work(_change, answer, quoted_text.shown, about)
        return _in_text(change, quoted_text, scope.span.start) if change else None


def _change(answer: EditAnswer, shown: str, about: Span) -> Change | None:
    """Turns the model's answer into a change of the shown text; None if it changes nothing.

    Raises `ModelError` if the words to change do not occur in it.
    """
    place = place_of(answer.span, shown, about)
    if place is None:
        raise ModelError(f"the words to change do not stand in the text: {answer.span[:80]!r}")
    return _narrowed(shown, place, _fitted(answer.revision, place.of(shown)))


def _in_text(change: Change, quotation: Quotation, offset: int) -> Change:
    """Turns a change to the text in a prompt into a change to the text itself."""
    start, end = quotation.span(change.start, change.end)
    return Change(start=offset + start, end=offset + end, new=quotation.original(change.new))


def place_of(quoted_words: str, text: str, about: Span) -> Span | None:
    """Finds the place of `quoted_words` nearest to the query's place `about`; None if they do not occur.

    Spaces and quotation marks may differ. Words and numbers match whole.
    """
    words = r"\s+".join(re.escape(word) for word in quoted_words.split())
    words = re.sub(_SINGLE, _SINGLE, re.sub(_DOUBLE, _DOUBLE, words))
    first, last = quoted_words.strip()[0], quoted_words.strip()[-1]
    # "3" is neither in "1937" nor in "3.5": words and numbers match whole.
    before = r"(?<!\w)(?<!\d[.,])" if first.isalnum() else ""
    after = r"(?!\w)(?![.,]\d)" if last.isalnum() else ""
    lead, trail = (r"\s*" if end.isspace() else "" for end in (quoted_words[0], quoted_words[-1]))
    matches = re.compile(lead + before + words + after + trail).finditer(text)
    places = [Span(match.start(), match.end()) for match in matches]
    return min(
        places, key=lambda place: max(place.start - about.end, about.start - place.end, 0), default=None
    )


def _fitted(new: str, old: str) -> str:
    """Removes spaces at an end of `new` where `old` has none."""
    new = new if old[0].isspace() else new.lstrip()
    return new if old[-1].isspace() else new.rstrip()


def _narrowed(text: str, place: Span, new: str) -> Change | None:
    """Makes the change without the words that old and new share at their ends; None if nothing is left."""
    old, words = _TOKEN.findall(place.of(text)), _TOKEN.findall(new)
    head = _common(old, words)
    tail = _common(old[head:][::-1], words[head:][::-1])
    if head + tail == len(old) == len(words):
        return None
    start = place.start + sum(map(len, old[:head]))
    end = place.end - sum(map(len, old[len(old) - tail :]))
    written = "".join(words[head : len(words) - tail])
    if not written and text[:start].endswith(" ") and _GAP.match(text, end):
        start -= 1  # of the two spaces around deleted words, one is deleted too
    return Change(start=start, end=end, new=written)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Counts the tokens with which both lists begin. Spaces and quotation marks may differ."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if _plain(a) != _plain(b)), min(len(first), len(second)))


def _plain(token: str) -> str:
    return " " if token.isspace() else re.sub(_SINGLE, "'", re.sub(_DOUBLE, '"', token))
