"""Checks retriever objects of the user: early whether they can be called, and later what they return."""

import inspect
from collections.abc import Sequence
from typing import Any

from rarr.components import Retriever
from rarr.errors import BudgetError, RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.web.domain_and_date_limits import SourceLimits, within_limits
from rarr.settings import Settings
from rarr.tools.models.failures import redacted
from rarr.tools.text.wording import kind_of, shown

WANTED = "async def retrieve(self, query, k), which returns a list of rarr.Passage"


def object_retriever(source: Any, settings: Settings, limits: SourceLimits) -> Retriever:
    """Wraps `source`, which has an async `retrieve(query, k)` or is a LangChain retriever, as a `Retriever`.

    Raises `SettingsError` for an object that cannot be searched and, with the setting `offline`, for an
    object that may use the network: anything but a `Corpus` and objects whose attribute `offline` is True.
    """
    name = kind_of(source)
    if isinstance(source, type):
        raise SettingsError(f"search is the class {source.__name__}: give an object of it")
    if hasattr(source, "retrieve"):
        if not callable(source.retrieve):
            raise SettingsError(f"search is {name}, whose retrieve is not a method: write {WANTED}")
        # Limits are for sources that others wrote: a corpus and a graph are the user's own.
        is_own = isinstance(source, Corpus | Graph)
        made: Retriever = ObjectRetriever(source, SourceLimits() if is_own else limits)
    else:
        from langchain_core.retrievers import BaseRetriever

        if not isinstance(source, BaseRetriever):
            raise SettingsError(
                f"search is {name}: it has no method retrieve(query, k), and is not a LangChain"
                " retriever: give such an object, or the name of a source, such as wikipedia"
            )
        from rarr.retrievers.given_passages import LangChainRetriever

        documents = LangChainRetriever(source, window=settings.window, step=settings.step)
        made = ObjectRetriever(documents, limits, f"the LangChain retriever {type(source).__name__}")
    if settings.offline and not (isinstance(source, Corpus) or getattr(source, "offline", False) is True):
        raise SettingsError(
            f"search is {name}, which may go to the network, and offline is set:"
            " give its class offline = True if it does not, or leave out offline"
        )
    return made


class ObjectRetriever:
    """Wraps a source: it returns passages that the limits allow, or raises a `RetrievalError`.

    Without a `name`, the source is an object of the user, which warnings name by its class.
    """

    def __init__(self, source: Any, limits: SourceLimits, name: str = "") -> None:
        self.source, self._limits = source, limits
        self._name = name or f"the retriever {type(source).__name__}"

    @property
    def skipped(self) -> Sequence[tuple[str, str]]:
        """The files that the source left out, with the reason, as in `Corpus`."""
        return getattr(self.source, "skipped", ())

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the source's passages that the limits allow. A wrong result raises `RetrievalError`."""
        try:
            call = self.source.retrieve(query, k)
            wrong = "" if inspect.isawaitable(call) else f"{kind_of(call)} that cannot be awaited"
            passages = () if wrong else await call
        except (RetrievalError, BudgetError):  # these errors name their cures
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {shown(redacted(' '.join(str(error).split())))}"
            cure = f"try it alone; as a class of your own it is written {WANTED}"
            raise RetrievalError(f"{self._name} failed ({reason}): {cure}") from error
        if wrong := wrong or _wrong(passages):
            raise RetrievalError(f"{self._name} returned {wrong}: write {WANTED}")
        return await within_limits(self._name, passages, self._limits)


def _wrong(result: object) -> str:
    """Describes a wrong result of `retrieve`; "" if it is a sequence of passages."""
    if not isinstance(result, Sequence) or isinstance(result, str | bytes):
        return "None" if result is None else kind_of(result)
    strange = [kind_of(item) for item in result if not isinstance(item, Passage)]
    return f"{kind_of(result)} with {strange[0]} in it" if strange else ""
