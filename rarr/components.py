"""Declares the interfaces of the components that nodes use. `agent/wiring` chooses a class for each of them.

Many tasks may call a component at the same time. A component raises an error if it cannot do its work; the
node then shows the failure to the user. A negative judgement is a result, not an error.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args, runtime_checkable

from rarr.errors import InputError
from rarr.records import Agreement, AttributionClass, Change, Check, Evidence, Passage, Query, Question
from rarr.records.cards_and_edits import CardVerdict
from rarr.records.citations import CitedStatement, OutlineSection
from rarr.settings import Settings
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span

QueryKind = Literal["questions", "sentences", "text"]
PURR = "purr:"
"""The prefix before the folder, or the name on the Hugging Face hub, of a trained editor."""
EditorKind = Literal["minimal", "efec", "lamda", "none", "unedited"]


class SearchTargets(NamedTuple):
    """The sentences without support, at `spans` of the text, for which the next round searches.

    `asked`: the questions about these sentences in earlier rounds.
    `seen`: the titles of sources that were found, and the lines of sources that were quoted.
    """

    spans: Sequence[Span]
    asked: Sequence[str] = ()
    seen: Sequence[str] = ()


class QueryGenerator(Protocol):
    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns questions about every fact in `text` that can be checked; [] if there is no such fact."""

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        """Returns new questions about the sentences in `lacking`. Repeats no question of earlier rounds."""


class Retriever(Protocol):
    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` best documents for `query`, the best first; [] if no document matches.

        Raises `RetrievalError` if the search failed.
        """


class Reranker(Protocol):
    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage to `query`, from 0 to 1.

        A reranker may also have `score_all`, which scores a list of pairs (query, passages) in one fast call.
        """


class AgreementChecker(Protocol):
    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Tells whether `text` and `evidence` give the same answer to `query`. May answer `unknown`."""


class Editor(Protocol):
    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns the smallest change that makes `text` agree with `evidence`; None: no change is needed."""


class SourceLine(NamedTuple):
    """A sentence, list item, table row or heading of an excerpt. An excerpt is a part of a source.

    `label` names the line in a request, such as P2.3. `start` and `end`: its place in the source.
    """

    label: str
    text: str
    evidence_id: str
    start: int
    end: int
    is_item: bool = False  # True for a list item, which may need the line before the list


class Excerpt(NamedTuple):
    """A part of a source that a card reader compares with sentences. `date` is "" if unknown.

    `source` is the file or address of the source. No prompt shows it.
    """

    label: str
    title: str
    date: str
    lines: tuple[SourceLine, ...]
    source: str = ""


class BlockPiece(NamedTuple):
    """A part of a reading block: a sentence with its number, or the text between two sentences (number 0)."""

    text: str
    number: int = 0


class ReadingBlock(NamedTuple):
    """Consecutive sentences to check in one request, with the excerpts of sources that may support them.

    `before`: the headings and the sentence before the block. The reader sees them, but does not check them.
    `lead`: the line that introduces the list in which the block begins, or "".
    """

    context: str
    before: str
    pieces: tuple[BlockPiece, ...]
    excerpts: tuple[Excerpt, ...]
    lead: str = ""


class RawEdit(NamedTuple):
    """An edit as a card reader wrote it: `new` replaces `old`. The words `by` of a source confirm `new`."""

    old: str
    new: str
    by: str


class RawCard(NamedTuple):
    """A card (the answer about one sentence) as a card reader wrote it, before code checks its words."""

    verdict: CardVerdict
    quotes: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    edits: tuple[RawEdit, ...] = ()


class RawReading(NamedTuple):
    """The cards that one request returned, by the number of the sentence.

    `served`: the name of the model that answered. `problem`: why cards may be missing, or "".
    """

    cards: dict[int, RawCard]
    served: str = ""
    problem: str = ""


class CardReader(Protocol):
    """Compares sentences with excerpts of sources, and fills a card for each sentence.

    `is_model`: True for a language model. A model is tested with planted errors, and may be asked again.
    """

    name: str
    is_model: bool

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        """Returns the cards of the block, from one request.

        `doubting` selects the prompt that checks a sentence again. Another `seed` may give another answer.
        Raises `PromptTooLong` if the block is too long for the reader, and `ModelError` if the request fails.
        """


class Rewriter(Protocol):
    """The component of a baseline that rewrites a whole text without checking its sentences."""

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns a new version of `text` that uses all the evidence."""


class Verifier(Protocol):
    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns how far `evidence` supports the sentence at each span, from 0 to 1; None if not judged.

        `text` and `context` are given because a sentence alone may be unclear ("It opened then.").
        """


@runtime_checkable
class Classifier(Protocol):
    """A verifier that also tells whether evidence contradicts a sentence, or does not mention its facts."""

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns the class of the sentence at each span; None if it was not judged.

        The classes of AttrScore are attributable, extrapolatory (not mentioned) and contradictory.
        """


async def close_all(resources: Iterable[Any]) -> None:
    """Closes each resource that has `aclose`, the last first. An error is raised after all are closed."""
    async with AsyncExitStack() as stack:
        for resource in resources:
            if hasattr(resource, "aclose"):
                stack.push_async_callback(resource.aclose)


@runtime_checkable
class WholeTextSource(Protocol):
    """A retriever that can also return the whole text of a document."""

    async def extracted(self, url: str) -> str | None:
        """Returns the text of the document `url`; None if it is unknown. Passages are parts of this text."""


class SectionSource(NamedTuple):
    """A planned section, and the passages for writing the section, the most relevant passage first."""

    section: OutlineSection
    chunks: tuple[Evidence, ...]


class ArticleWriter(Protocol):
    """Writes articles from passages. In a section, `[2]` cites the second of the `chunks` of the section."""

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the headings of an article about `topic`, in order."""

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Returns the text of the section `sources[at]`. The text should not repeat the other sections."""


class AnswerWriter(Protocol):
    async def write(self, question: str, sources: Sequence[str]) -> Sequence[CitedStatement]:
        """Returns statements that answer the question. They cite `sources` by number; the first is 1."""


WRITING_NODES = ("plan", "write_section")
"""The nodes that ask an article writer."""


@dataclass(frozen=True)
class Baseline:
    """A simpler pipeline for comparison in an evaluation. The default values give the usual pipeline."""

    agreement: bool = True
    """Whether to edit only if evidence disagrees. If False, the editor alone decides."""
    editor: str = "minimal"
    """`minimal`: small edits. `efec`: corrects the whole text. `lamda`: writes a new text.

    `none`: neither checks nor edits. `unedited`: checks as usual, but does not edit.
    `purr:NAME`: a trained editor corrects the text; NAME is a folder or a model of the Hugging Face hub.
    """

    @property
    def checks_sentences(self) -> bool:
        """Tells whether sentences are checked before they are edited."""
        return self.agreement and self.editor in ("minimal", "unedited")

    @property
    def rewrites_text(self) -> bool:
        """Tells whether the whole text is rewritten at once, with all its evidence."""
        return self.editor in ("efec", "lamda") or self.editor.startswith(PURR)

    def __post_init__(self) -> None:
        """Raises `InputError` for an unknown editor."""
        if self.editor not in get_args(EditorKind) and not str(self.editor).startswith(PURR):
            raise InputError(f"editor is {self.editor!r}: give one of {', '.join(get_args(EditorKind))}")

    def changed_fields(self) -> dict[str, Any]:
        """Returns the fields that differ from the usual pipeline, with their values."""
        return {name: value for name, value in vars(self).items() if value != getattr(Baseline, name)}


NO_BASELINE = Baseline()
"""The usual pipeline."""


@dataclass(frozen=True)
class Components:
    """All components that the nodes of a reviser use. LangGraph passes them to each node as its context."""

    settings: Settings
    query_generator: QueryGenerator
    retriever: Retriever
    reranker: Reranker
    verifier: Verifier
    checker: AgreementChecker | None = None
    editor: Editor | None = None
    card_reader: CardReader | None = None
    """Checks and edits whole blocks of sentences, in place of `checker` and `editor`."""
    doubting_reader: CardReader | None = None
    """The reader that is asked again about doubtful cards. None: `card_reader` is asked again."""
    record: Any = None
    """The `ReaderRecord` of `card_reader`: the results on planted errors. None: there is no record."""
    given: tuple[Passage, ...] = ()
    """The passages that the caller gave, if all fit into one request. Each request shows all of them."""
    searches: bool = True
    """Whether to search for evidence. False: the only evidence is `given`."""
    rewriter: Rewriter | None = None
    """Rewrites the whole text in a baseline, in place of `checker` and `editor`."""
    writers: Mapping[str, ArticleWriter] = field(default_factory=dict)
    """The article writers, by the name of the node that asks them: plan or write_section."""
    answer_writer: AnswerWriter | None = None
    """The writer of answers. None: no answers can be written."""
    models: tuple[LanguageModel, ...] = ()
    """The language models of these components. The reviser closes their connections."""
    opened: tuple[object, ...] = ()
    """Other resources that the reviser opened. The reviser closes those that have `aclose`."""
    baseline: Baseline = NO_BASELINE
    """The baseline for which these components were created."""
    replaced: Mapping[str, Callable[..., Awaitable[Any]]] = field(default_factory=dict)
    """Functions that replace nodes, by the node's name. A replay gives recorded results in this way."""
