"""Lets code edit values and ask questions first, and a language model only where code cannot."""

from collections.abc import Iterable, Sequence

from rarr.backends.prompted.editing import PromptedEditor
from rarr.backends.prompted.questions import PromptedQuestions
from rarr.components import Editor, QueryGenerator
from rarr.records import Change, Check, Evidence, ExpectedUsage, Query, Question
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.non_english_detection import foreign_sentences


class CodeFirstEditor:
    """An editor that lets code replace the value. The model edits only if code makes no edit."""

    def __init__(self, code: Editor, model: PromptedEditor) -> None:
        self._code, self._model = code, model

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one edit that code cannot make."""
        return self._model.expected(text, context)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns the change of the code, or else that of the model; None if neither makes one.

        Raises the errors of the model's editor.
        """
        change = await self._code.edit(text, context, query, check, evidence)
        return change or await self._model.edit(text, context, query, check, evidence)


class CodeFirstQuestions:
    """A query generator: the rules ask about sentences in English, and the model about all others.

    A question only finds sources: the model reads the sentence itself. A small model that is asked for all
    questions of a text leaves most values out.
    """

    def __init__(self, code: QueryGenerator, model: PromptedQuestions) -> None:
        self._code, self._model = code, model

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the questions of both, in text order. The model is not asked about a text in English."""
        foreign = await work(foreign_sentences, text)
        by_code = await self._code.generate(text, context)
        by_model = await self._model.generate(text, context) if foreign else ()
        asked = [question for question in by_code if not _within(foreign, question)]
        asked += [question for question in by_model if _within(foreign, question)]
        return sorted(asked, key=lambda question: (question.start, question.end))

    async def target(
        self,
        text: str,
        context: str | None,
        spans: Sequence[Span],
        asked: Sequence[str],
        seen: Sequence[str] = (),
    ) -> Sequence[Question]:
        """Returns short questions of the rules, and those of the model about sentences in other languages."""
        foreign = await work(foreign_sentences, text)
        english = [span for span in spans if span not in foreign]
        others = [span for span in spans if span in foreign]
        by_code = await self._code.target(text, context, english, asked) if english else ()
        by_model = await self._model.target(text, context, others, asked) if others else ()
        return [*by_code, *by_model]


def _within(spans: Iterable[Span], question: Question) -> bool:
    return any(span.start <= question.start and question.end <= span.end for span in spans)
