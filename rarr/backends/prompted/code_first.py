"""Code first, and a language model where code cannot: edits of values, and questions about them."""

from rarr.backends.prompted.editing import PromptedEditor
from rarr.components import Editor
from rarr.records import Change, Check, Evidence, ModelUsage, Query


class CodeFirstEditor:
    """Replaces a value in code. The model edits only where code makes no edit."""

    def __init__(self, code: Editor, model: PromptedEditor) -> None:
        self._code, self._model = code, model

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage if code makes no edit."""
        return self._model.expected(text, context)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Raises the errors of the model's editor."""
        change = await self._code.edit(text, context, query, check, evidence)
        return change or await self._model.edit(text, context, query, check, evidence)
