"""A change tried out before it is made: its limits, its verification, and what other evidence says."""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from rarr.agent.components import Components
from rarr.records import Change, Evidence, Query, Verdict
from rarr.tools.document import Span, protected, sentences
from rarr.tools.together import together


class Trial:
    """A change that is tried out. Each method gives the reason to refuse it, or an empty string."""

    def __init__(self, text: str, change: Change, context: str | None, components: Components) -> None:
        self.text, self.change, self.context, self.components = text, change, context, components
        self.sentence = sentence_of(text, change)
        self.revised = text[: change.start] + change.new + text[change.end :]

    def out_of_bounds(self) -> str:
        """Limits: Gao et al. 2023, section 3.3."""
        settings, place = self.components.settings, Span(self.change.start, self.change.end)
        if self.sentence is None:
            return "the change does not lie within one sentence"
        if any(place.overlaps(span) for span in protected(self.text, *_lines(self.text, self.sentence))):
            return "the change touches code, a link or a citation"
        if self._adds_markup():
            return "the change adds a link, a citation, markup or a line"
        changed = Levenshtein.distance(place.of(self.text), self.change.new)
        if changed > settings.max_edit_chars:
            return f"it changes {changed} characters, over max_edit_chars ({settings.max_edit_chars})"
        if changed > settings.max_edit_share * (self.sentence.end - self.sentence.start):
            return f"it changes more than max_edit_share ({settings.max_edit_share}) of the sentence"
        return ""

    def _adds_markup(self) -> bool:
        """What an answer may hold beyond words: nothing of it belongs into somebody's text."""
        old, new = self.text[self.change.start : self.change.end], self.change.new
        if any(not character.isprintable() and character not in old for character in new):
            return True
        if self.sentence is None:
            return False
        start, end = self.sentence
        after = protected(self.revised, start, end + len(new) - len(old))
        return len(after) > len(protected(self.text, start, end))

    async def unverified(self, source: Evidence) -> str:
        """Support by the evidence must rise."""
        if self.sentence is None:
            return ""
        grown = len(self.revised) - len(self.text)
        changed = Span(self.sentence.start, self.sentence.end + grown)
        support = self.components.verifier.support
        [before], [after] = await together(
            support(self.text, self.context, [self.sentence], source),
            support(self.revised, self.context, [changed], source),
        )
        if before is None or after is None:
            return "whether support rises could not be judged"
        if after <= before:
            return f"support does not rise: {before:.2f} before, {after:.2f} after"
        return ""

    async def verdicts(self, query: Query, others: Sequence[Evidence]) -> list[Verdict]:
        """What other evidence says of the revised text."""
        written = Span(self.change.start, self.change.start + len(self.change.new))
        asked = query.model_copy(update={"start": written.start, "end": written.end})
        check = self.components.checker.check
        said = await together(*(check(self.revised, self.context, asked, one) for one in others))
        return [agreement.verdict for agreement in said]


def sentence_of(text: str, change: Change) -> Span | None:
    """The sentence that a change lies in; None where it is in none, or in more than one."""
    return next((s for s in sentences(text) if s.start <= change.start <= change.end <= s.end), None)


def _lines(text: str, sentence: Span) -> Span:
    """The whole lines of a sentence: a link or code may reach over its end, none over that of a line."""
    end = text.find("\n", sentence.end)
    return Span(text.rfind("\n", 0, sentence.start) + 1, len(text) if end < 0 else end)
