"""Reads what a chain hands over, and makes the value of the same type that the chain gets back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage

from rarr.agent.postprocessing.conversation import Message
from rarr.errors import InputError
from rarr.integrations.langchain.message_text import answer_text, turn, with_result
from rarr.records.postprocessing import Postprocessed
from rarr.retrievers.given_passages import Given
from rarr.tools.text.plurals_and_articles import kind_of

Value = str | AIMessage | dict[str, Any]
"""A text, a message, or a dict with the answer, which is one of these."""
_SOURCES = ("sources", "context")
_CURE = (
    "give a str, an AIMessage, or a dict with answer (a str or an AIMessage) and, if you have them, question"
    " and sources"
)


@dataclass(frozen=True)
class ChainAnswer:
    """An answer with its question and sources; `text` is None for an empty text, and a message without one.

    Without sources, `has_place` tells whether the value could have some, as a dict can.
    """

    text: str | None
    question: str | Sequence[Message] | None = None
    sources: Sequence[Given] | None = None
    has_place: bool = False


def read(value: object) -> ChainAnswer:
    """Takes answer, question and sources out of a text, a message or a dict that a chain hands over.

    Raises `InputError` for a value of another type.
    """
    if not isinstance(value, Mapping):
        return ChainAnswer(_text(value, "the input"))
    if "answer" not in value:
        raise InputError(f"the input is a dict without answer: {_CURE}")
    sources = [source for key in _SOURCES for source in _listed(value.get(key), key)]
    return ChainAnswer(
        _text(value["answer"], "answer"),
        _question(value.get("question")),
        sources if any(value.get(key) is not None for key in _SOURCES) else None,
        has_place=True,
    )


def written(value: Any, result: Postprocessed | None) -> Any:
    """Returns `value` with the text of the result; a dict also gets the record, as `rarr`.

    With the result None, for a text without words or a message that is no answer, the answer is unchanged.
    """
    if isinstance(value, Mapping):
        return {**value, "answer": written(value["answer"], result), "rarr": result}
    if result is None:
        return value
    return with_result(value, result) if isinstance(value, AIMessage) else result.text


def _text(answer: object, name: str) -> str | None:
    if isinstance(answer, AIMessage):
        return answer_text(answer)
    if not isinstance(answer, str):
        raise InputError(f"{name} is {kind_of(answer)}: {_CURE}")
    return answer if answer.strip() else None


def _question(question: Any) -> Any:
    if isinstance(question, BaseMessage):
        question = [question]
    if isinstance(question, list | tuple):
        return [turn(each) if isinstance(each, BaseMessage) else each for each in question]
    return question


def _listed(sources: object, key: str) -> list[Any]:
    """Returns the sources of one key without those that have no text: a search may find nothing."""
    if sources is None:
        return []
    if isinstance(sources, str | Document):
        sources = [sources]
    if not isinstance(sources, list | tuple):
        raise InputError(f"{key} is {kind_of(sources)}: give a text, or a list of texts and documents")
    return [source for source in sources if not _is_blank(source)]


def _is_blank(source: object) -> bool:
    text = source.page_content if isinstance(source, Document) else source
    return isinstance(text, str) and not text.strip()
