"""Retriever objects of the user's own: refused early where they cannot work, and their answers looked at."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from rarr.components import Retriever
from rarr.errors import BudgetError, RetrievalError, SettingsError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.web.source_domains import SourceLimits
from rarr.settings import Settings
from rarr.tools.concurrency.worker import work
from rarr.tools.models.client_failures import redacted
from rarr.tools.text.nouns import kind_of

WANTED = "async def retrieve(self, query, k), which returns a list of rarr.Passage"


def object_retriever(given: Any, settings: Settings, limits: SourceLimits) -> Retriever:
    """`given`, which has `retrieve(query, k)` or is a LangChain retriever, as a source of evidence.

    Raises `SettingsError` for what cannot be searched with, and, with the setting `offline`, for what may go
    to the network: anything but a `Corpus` and objects whose attribute `offline` is True.
    """
    name = kind_of(given)
    if isinstance(given, type):
        raise SettingsError(f"search is the class {given.__name__}: give an object of it")
    if hasattr(given, "retrieve"):
        _check_signature(name, given.retrieve)
        # Limits are for what others wrote: a corpus is the user's own.
        made: Retriever = ObjectRetriever(given, SourceLimits() if isinstance(given, Corpus) else limits)
    else:
        made = _langchain(given, settings, limits)
    if settings.offline and not (isinstance(given, Corpus) or getattr(given, "offline", False) is True):
        raise SettingsError(
            f"search is {name}, which may go to the network, and offline is set:"
            " give its class offline = True if it does not, or leave out offline"
        )
    return made


class ObjectRetriever:
    """A source whose author is not us: whatever it raises or returns, this gives passages or says why not."""

    def __init__(self, source: Any, limits: SourceLimits) -> None:
        self.source, self._limits = source, limits
        self._name = type(source).__name__

    @property
    def skipped(self) -> Sequence[tuple[str, str]]:
        """What the source left out, with the reason, as a `Corpus` tells it."""
        return getattr(self.source, "skipped", ())

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """What the source returns, within the limits. Raises `RetrievalError`, also for no passages."""
        try:
            asked = self.source.retrieve(query, k)
            if not inspect.isawaitable(asked):
                raise self._returned(f"{kind_of(asked)} that cannot be awaited")
            found = await asked
        except (RetrievalError, BudgetError):  # it names its cure
            raise
        except Exception as error:
            said = shown(redacted(" ".join(str(error).split())))
            raise RetrievalError(
                f"the retriever {self._name} failed ({type(error).__name__}: {said}): try its retrieve alone"
            ) from error
        if wrong := _wrong(found):
            raise self._returned(wrong)
        return await work(self._limits.keep, found)

    def _returned(self, what: str) -> RetrievalError:
        return RetrievalError(f"the retriever {self._name} returned {what}: write {WANTED}")


def _wrong(found: object) -> str:
    """What is wrong with what `retrieve` returned; an empty string where it is a sequence of passages."""
    if found is None:
        return "None"
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        return kind_of(found)
    strange = [kind_of(one) for one in found if not isinstance(one, Passage)]
    return f"{kind_of(found)} with {strange[0]} in it" if strange else ""


def _check_signature(name: str, retrieve: Any) -> None:
    """Raises `SettingsError` for what is sure to fail; what cannot be told is found when it is called."""
    if not callable(retrieve):
        raise SettingsError(f"search is {name}, whose retrieve is no method: write {WANTED}")
    try:
        signature = inspect.signature(retrieve)
    except (TypeError, ValueError):  # as of some that are written in C
        return
    try:
        signature.bind("query", 5)
    except TypeError:
        said = f"retrieve{signature} cannot be called as retrieve(query, k)"
        raise SettingsError(f"search is {name}, whose {said}: write {WANTED}") from None
    if _is_synchronous(retrieve):
        raise SettingsError(f"search is {name}, whose retrieve is not async: write {WANTED}")


def _is_synchronous(retrieve: Callable[..., Any]) -> bool:
    """Is it a plain function, or one that yields? Of other callables only a call can tell."""
    function = inspect.unwrap(getattr(retrieve, "__func__", retrieve))
    return inspect.isfunction(function) and not inspect.iscoroutinefunction(function)


def _langchain(given: Any, settings: Settings, limits: SourceLimits) -> Retriever:
    from langchain_core.retrievers import BaseRetriever

    if not isinstance(given, BaseRetriever):
        raise SettingsError(
            f"search is {kind_of(given)}: it has no method retrieve(query, k), and is no LangChain"
            " retriever: give such an object, or a source by its name, as in search=wikipedia"
        )
    from rarr.retrievers.langchain import LangChainRetriever

    return LangChainRetriever(given, window=settings.window, step=settings.step, limits=limits)
