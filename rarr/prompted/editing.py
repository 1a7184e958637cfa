"""Prompted editing: the model names the words to change, then what stands there instead."""

import re

from pydantic import BaseModel

from rarr.errors import ModelError
from rarr.prompted.prompts import Prompts
from rarr.prompted.scope import scope_of
from rarr.records import Change, Check, Evidence, ModelUsage, Query
from rarr.tools.document import Span
from rarr.tools.language_model import LanguageModel


class Edited(BaseModel):
    """The model's answer; both empty where it declines."""

    span: str
    revision: str


class PromptedEditor:
    """Asks for one change. Only the words that it names are touched, whatever else the text holds."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, whole_text: bool) -> None:
        self._model, self._prompts, self._whole_text = model, prompts, whole_text

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Of one edit."""
        return self._prompts.expected(self._model, "edit", text, context, whole=self._whole_text)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Raises `ModelError` where the words to change do not stand in the text."""
        scope = scope_of(text, query, whole=self._whole_text)
        prompt, variables = self._prompts.of(
            "edit",
            context,
            before=scope.before,
            text=scope.span.of(text),
            query=query.text,
            text_answer=check.text_answer,
            evidence_answer=check.evidence_answer,
            evidence=evidence.text,
        )
        answer = await self._model.ask(prompt, Edited, variables)
        if not answer.span.strip() or answer.span == answer.revision:
            return None
        place = place_of(answer.span, text, scope.span, query)
        if place is None:
            raise ModelError(f"the words to change do not stand in the text: {answer.span[:80]!r}")
        return _narrowed(text, place, answer.revision)


def place_of(said: str, text: str, within: Span, query: Query) -> Span | None:
    """Where `said` stands, the place nearest to what the query is about; spaces and quotes may differ."""
    pattern = r"\s+".join(re.escape(word) for word in said.split())
    pattern = re.sub('["“”„«»]', '["“”„«»]', pattern)
    pattern = re.sub("['’‘`]", "['’‘`]", pattern)
    # "3" does not stand in "1937": words are matched whole.
    whole = rf"(?<!\w){pattern}(?!\w)" if pattern[0].isalnum() else pattern
    found = re.compile(whole).finditer(text, within.start, within.end)
    places = [Span(match.start(), match.end()) for match in found]
    return min(places, key=lambda place: _distance(place, query), default=None)


def _distance(place: Span, query: Query) -> int:
    return max(place.start - query.end, query.start - place.end, 0)


def _narrowed(text: str, place: Span, new: str) -> Change | None:
    """Without the words that both begin and end with: the ledger shows what changes, and no more."""
    old = re.findall(r"\s+|\S+", place.of(text))
    words = re.findall(r"\s+|\S+", new)
    head = 0
    while head < min(len(old), len(words)) and old[head] == words[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(words)) - head and old[-1 - tail] == words[-1 - tail]:
        tail += 1
    if head + tail == len(old) == len(words):
        return None
    start = place.start + sum(map(len, old[:head]))
    end = place.end - sum(map(len, old[len(old) - tail :]))
    return Change(start=start, end=end, new="".join(words[head : len(words) - tail]))
