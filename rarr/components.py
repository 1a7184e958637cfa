"""What a node may use, typed by interface. Implementations are chosen in `agent/wiring` alone.

An implementation may be called from many branches at once. It raises for what it could not do; the node
turns that into a failure that the user sees. It never raises for what it could do and judged negative.
"""

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from rarr.records import (
    Agreement,
    AttributionClass,
    Change,
    Check,
    Evidence,
    ModelUsage,
    Passage,
    Query,
    Question,
)
from rarr.settings import Settings
from rarr.tools.text.document import Span

if TYPE_CHECKING:
    from rarr.tools.models.language_model import LanguageModel


class QueryGenerator(Protocol):
    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Questions that cover every checkable aspect of `text`; none where there is nothing to check."""

    async def target(
        self, text: str, context: str | None, spans: Sequence[Span], asked: Sequence[str]
    ) -> Sequence[Question]:
        """Other questions than those `asked`, about sentences for which these led to no support."""


class Retriever(Protocol):
    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` best documents for `query`, best first; none where nothing matches.

        Raises `RetrievalError` when the source could not be searched.
        """


class Reranker(Protocol):
    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """The relevance of each passage to `query`, from 0 to 1."""


class AgreementChecker(Protocol):
    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Does `evidence` imply the same answer to `query` as `text` does? `unknown` where it cannot tell."""


class Editor(Protocol):
    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """The smallest change to `text` after which it agrees with `evidence`; None where there is none."""


class Rewriter(Protocol):
    """What revises without checks: a baseline. `whole`: the text as one, rather than each sentence."""

    whole: bool

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        """What stands at `span` of `text` in the light of all its evidence."""


class Verifier(Protocol):
    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """How far `evidence` entails the sentence of `text` at each span, from 0 to 1; None: not judged.

        The text and its context come along because a sentence alone may not say what it is about.
        """


@runtime_checkable
class Classifier(Protocol):
    """Of the verifiers, those that tell a contradiction from silence."""

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """What `evidence` is to the sentence of `text` at each span; None: not judged."""


class Closes(Protocol):
    async def aclose(self) -> None:
        """Closes its files, and its connections of this event loop. What is used again opens them again."""


async def close_all(kept: Iterable[Closes]) -> None:
    """Closes all of them; one that fails to close keeps no other from it."""
    async with AsyncExitStack() as stack:
        for one in kept:
            stack.push_async_callback(one.aclose)


@runtime_checkable
class KeepsText(Protocol):
    """Of the sources, those that can show what they read."""

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""


class IntentJudge(Protocol):
    async def preserved(self, original: str, revised: str, context: str | None) -> float:
        """1 where the revision keeps the intent of the original, else 0."""


@runtime_checkable
class AsksModel(Protocol):
    """Of the above, those that ask a language model."""

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """What one call for this text is expected to spend."""


@dataclass(frozen=True)
class Components:
    """Everything that the nodes of one reviser use; the graph's runtime context."""

    settings: Settings
    query_generator: QueryGenerator
    retriever: Retriever
    reranker: Reranker
    checker: AgreementChecker
    editor: Editor
    verifier: Verifier
    rewriter: Rewriter | None = None
    """In place of `checker` and `editor`, where the setting `editor` names a baseline."""
    intent_judge: IntentJudge | None = None
    models: tuple["LanguageModel", ...] = ()
    """The language models behind these, whose connections the reviser closes."""
    opened: tuple[Closes, ...] = ()
    """What else of these holds connections or files, and is the reviser's own to close."""
