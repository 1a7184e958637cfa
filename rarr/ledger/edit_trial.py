"""Tries an edit before it is made: asks for the support of its sentence, and checks the evidence again."""

from collections.abc import Sequence

from rarr.components import Components, ReadsAlone
from rarr.ledger.sentence_support import Support, moved_place, sentence_support
from rarr.records import Agreement, Change, Evidence, Query
from rarr.state import State
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, paragraph_end, sentences, table_cells


class Trial:
    """Judges a change of one sentence before it is made. `revised` is the text with the change.

    The methods `refusal_of_...` return the reason to refuse the change, or an empty string.
    """

    def __init__(
        self, text: str, sentence: Span, change: Change, context: str | None, components: Components
    ) -> None:
        self.text, self.sentence, self.change = text, sentence, change
        self.context, self.components = context, components
        self.revised = text[: change.start] + change.new + text[change.end :]

    async def refusal_of_correction(self, source: Evidence, state: State, queries: Sequence[Query]) -> str:
        """Returns the reason to refuse a correction; empty if there is none.

        The support of the sentence by `source` does not rise, or a sentence loses its support.
        """
        before, after = await self._before_and_after(source, state, queries)
        was, now = before[0].by_evidence.get(source.id), after[0].by_evidence.get(source.id)
        if was is None or now is None:
            return "whether support rises could not be judged"
        if now <= was:
            return f"support does not rise: {was:.2f} before, {now:.2f} after"
        return self._lost_support(before, after)

    async def refusal_of_loss(self, source: Evidence, state: State, queries: Sequence[Query]) -> str:
        """Returns the reason to refuse an edit that need not raise support; empty if no sentence loses it."""
        return self._lost_support(*await self._before_and_after(source, state, queries))

    async def checks(self, query: Query, evidence: Sequence[Evidence]) -> list[Agreement]:
        """Asks the checker whether each evidence agrees with the new words of the revised text."""
        written = Span(self.change.start, self.change.start + len(self.change.new))
        asked = query.model_copy(update={"start": written.start, "end": written.end})
        check = self.components.checker.check
        return await together(*(check(self.revised, self.context, asked, passage) for passage in evidence))

    async def _before_and_after(
        self, source: Evidence, state: State, queries: Sequence[Query]
    ) -> tuple[list[Support], list[Support]]:
        """Judges the sentence and the rest of its paragraph, which may depend on it, before and after.

        `queries` have their places in the current text. `source` is judged for the sentence, even if its
        query is about another sentence.
        """
        place = self.sentence._asdict()
        asked = [
            query.model_copy(update=place) if query.id == source.query_id else query for query in queries
        ]
        unaffected = await self._unaffected()
        before, after = await together(
            self._supports(state, asked, [], unaffected),
            self._supports(state, asked, [self.change], unaffected),
        )
        return before, after

    async def _unaffected(self) -> list[Span]:
        """Finds the other sentences of which the verifier reads the same before and after the change.

        Their support is the same, so that it need not be asked for. Empty if the verifier cannot tell, or if
        the change joins or divides sentences: then a sentence may be beside other queries than before.
        """
        verifier = self.components.verifier
        if not isinstance(verifier, ReadsAlone):
            return []
        spans = await work(sentences, self.text)
        moved = tuple(moved_place(span, [self.change]) for span in spans)
        if moved != await work(sentences, self.revised):
            return []
        before, after = await together(
            verifier.readings(self.text, self.context, spans),
            verifier.readings(self.revised, self.context, moved),
        )
        return [
            span
            for span, was, now in zip(spans, before, after, strict=True)
            if was == now and not span.overlaps(self.sentence)
        ]

    async def _supports(
        self, state: State, queries: Sequence[Query], changes: Sequence[Change], unaffected: Sequence[Span]
    ) -> list[Support]:
        """Judges the sentence and the rest of its paragraph, before or after the change.

        `changes` is empty for the text before. Failures become warnings. Sentences at the places of
        `unaffected`, which are places before the change, are left out.
        """
        supports, failures = await sentence_support(
            "edit",
            state,
            self.revised if changes else self.text,
            await work(_moved, queries, changes),
            self.components,
            within=moved_place(await work(_paragraph, self.text, self.sentence), changes),
            without={moved_place(span, changes) for span in unaffected},
        )
        for failure in failures:
            meter().warn(failure.code, failure.message)
        return supports

    def _lost_support(self, before: Sequence[Support], after: Sequence[Support]) -> str:
        """Returns the reason to refuse: a sentence had support, and no longer has. Empty if none lost it.

        That it could not be judged again is a reason too.
        """
        least = self.components.settings.support_threshold
        # Sentences are paired from the end: a change may join two sentences, or divide one.
        for was, now in zip(reversed(before), reversed(after), strict=False):
            if was.best is None or was.best < least or (now.best is not None and now.best >= least):
                continue
            words = now.span.of(self.revised)[:60]
            if now.best is None:
                return f"whether this stays supported could not be judged: {words!r}"
            return f"a sentence loses its support: {was.best:.2f} before, {now.best:.2f} after: {words!r}"
        return ""


def _moved(queries: Sequence[Query], changes: Sequence[Change]) -> list[Query]:
    places = [moved_place(Span(query.start, query.end), changes) for query in queries]
    return [query.model_copy(update=p._asdict()) for query, p in zip(queries, places, strict=True)]


def _paragraph(text: str, sentence: Span) -> Span:
    """Returns the place from the sentence to the end of its paragraph; for a table's cell, the cell."""
    if sentence in table_cells(text):
        return sentence
    return Span(sentence.start, paragraph_end(text, sentence.end))
