"""Declares the interfaces of the components that nodes use. `agent/wiring` chooses the classes behind them.

Many branches may call a component at once. It raises if it cannot do its work; the node turns that into a
failure that the user sees. A negative judgement is a result, and is never raised.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args, runtime_checkable

from rarr.errors import InputError
from rarr.records import Agreement, AttributionClass, Change, Check, Evidence, Passage, Query, Question
from rarr.records.cards_and_edits import Card, CardVerdict
from rarr.records.citations import CitedStatement, PlannedSection
from rarr.settings import Settings
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span

QueryKind = Literal["questions", "sentences", "text"]
PURR = "purr:"
"""What stands before the folder, or the name in the hub, of a trained editor."""
EditorKind = Literal["minimal", "efec", "lamda", "none", "unedited"]


class Lacking(NamedTuple):
    """The sentences that another round searches for: those at `spans` of the text, which lack support.

    `asked` are the questions about them so far. `seen` is what was found: titles of sources, and lines that
    were quoted.
    """

    spans: Sequence[Span]
    asked: Sequence[str] = ()
    seen: Sequence[str] = ()


class QueryGenerator(Protocol):
    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Asks questions about every checkable aspect of `text`; none if there is nothing to check."""

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Asks more questions, different from those asked before, about sentences that lack support."""


class Retriever(Protocol):
    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` best documents for `query`, best first; none if nothing matches.

        Raises `RetrievalError` if the source could not be searched.
        """


class Reranker(Protocol):
    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Scores the relevance of each passage to `query`, from 0 to 1.

        A reranker may also have `score_all`, for many (query, passages) in one call that costs little.
        """


class AgreementChecker(Protocol):
    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Checks if `evidence` gives the same answer to `query` as `text`; `unknown` if it cannot tell."""


class Editor(Protocol):
    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Proposes the smallest change to `text` after which it agrees with `evidence`; None: no change."""


class SourceLine(NamedTuple):
    """A sentence, list item, table row or heading of an excerpt, at `start` to `end` of its source.

    `label` names it in a request, such as P2.3.
    """

    label: str
    text: str
    evidence_id: str
    start: int
    end: int


class Excerpt(NamedTuple):
    """A part of a source as a reader sees it; `date` is empty where it is not known."""

    label: str
    title: str
    date: str
    lines: tuple[SourceLine, ...]


class Piece(NamedTuple):
    """A part of a block: the sentence with this number, or (with 0) what stands between sentences."""

    text: str
    number: int = 0


class ReadingBlock(NamedTuple):
    """Some sentences to be read in one request, with the excerpts that may decide about them.

    `before` is the heading and the paragraph before the block, which are not asked about.
    """

    context: str
    before: str
    pieces: tuple[Piece, ...]
    excerpts: tuple[Excerpt, ...]


class RawEdit(NamedTuple):
    """A replacement as a reader wrote it: words of the sentence, new words, and the words that give them."""

    old: str
    new: str
    by: str


class RawCard(NamedTuple):
    """A card as a reader wrote it, with labels and words that nobody has looked up yet."""

    verdict: CardVerdict
    quotes: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    edits: tuple[RawEdit, ...] = ()


class RawReading(NamedTuple):
    """The cards of one request by the number of their sentence.

    `served` is the name of the model that answered. `problem` says why cards may be missing; else empty.
    """

    cards: dict[int, RawCard]
    served: str = ""
    problem: str = ""


class CardReader(Protocol):
    """Reads blocks of sentences beside excerpts of sources, and fills a card for each sentence.

    `is_model`: a language model reads, which planted controls examine, and which may be asked again.
    """

    name: str
    is_model: bool

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        """Reads the block in one request; `doubting`: by the prompt that confirms sentences.

        Another `seed` asks for another answer to the same block.

        Raises `PromptTooLong` if the reader cannot hold the block, and `ModelError` if it cannot be asked.
        """


class Rewriter(Protocol):
    """A baseline that revises without checks."""

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Writes a new text for `text` in the light of all its evidence."""


class Verifier(Protocol):
    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Scores from 0 to 1 how far `evidence` entails the sentence at each span; None: not judged.

        The text and its context are given because a sentence alone may not tell what it is about.
        """


@runtime_checkable
class Classifier(Protocol):
    """A verifier that also tells if evidence contradicts a sentence, or only does not mention it."""

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Chooses for the sentence of `text` at each span: attributable, extrapolatory or contradictory.

        These are the classes of AttrScore; None: not judged.
        """


@runtime_checkable
class Closes(Protocol):
    """Holds files, or connections of this event loop, which the next use opens again."""

    async def aclose(self) -> None: ...


async def close_all(resources: Iterable[object]) -> None:
    """Closes what can be closed, last one first; if some fail to close, closes the others, then raises."""
    async with AsyncExitStack() as stack:
        for resource in resources:
            if isinstance(resource, Closes):
                stack.push_async_callback(resource.aclose)


@runtime_checkable
class KeepsText(Protocol):
    """A source that can return the whole text that it read."""

    async def extracted(self, url: str) -> str | None:
        """Returns the text into which the offsets of a passage with the source `url` point, or None."""


class SectionSource(NamedTuple):
    """A section of a plan, with the passages that it is written from, the most relevant first."""

    section: PlannedSection
    chunks: tuple[Evidence, ...]


class ArticleWriter(Protocol):
    """Writes articles from passages. In its texts, `[2]` cites the second of the passages that were given."""

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Plans the headings of an article about `topic`."""

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Writes the section `sources[at]` in the light of the other sections."""


class AnswerWriter(Protocol):
    async def write(self, question: str, sources: Sequence[str]) -> Sequence[CitedStatement]:
        """Answers a question in statements; the first of `sources` has the number 1."""


WRITING_NODES = ("plan", "write_section")
"""The nodes that ask a writer."""


@dataclass(frozen=True)
class Baseline:
    """A simpler pipeline that an evaluation compares with. The defaults are the usual pipeline."""

    agreement: bool = True
    """Edit only where evidence disagrees. False: edit wherever the editor finds a change."""
    editor: str = "minimal"
    """`minimal` edits, the text corrected (`efec`) or written anew (`lamda`), or no edit (`none`).

    `purr:NAME` corrects the text by a trained editor, which is a folder or a name of the hub.
    `none` also leaves out the checks; `unedited` checks as usual, and edits nothing.
    """

    @property
    def checks(self) -> bool:
        """Are sentences checked before they are edited?"""
        return self.agreement and self.editor in ("minimal", "unedited")

    @property
    def is_whole(self) -> bool:
        """Is the whole text rewritten at once, by all its evidence?"""
        return self.editor in ("efec", "lamda") or self.editor.startswith(PURR)

    def __post_init__(self) -> None:
        """Raises `InputError` for an unknown editor."""
        if self.editor not in get_args(EditorKind) and not str(self.editor).startswith(PURR):
            raise InputError(f"editor is {self.editor!r}: give one of {', '.join(get_args(EditorKind))}")

    def changes(self) -> dict[str, Any]:
        """Returns the fields, with their values, that differ from the usual pipeline."""
        return {name: value for name, value in vars(self).items() if value != getattr(Baseline, name)}


NO_BASELINE = Baseline()
"""The usual pipeline."""


@dataclass(frozen=True)
class Components:
    """Everything that the nodes of one reviser use; the graph's runtime context."""

    settings: Settings
    query_generator: QueryGenerator
    retriever: Retriever
    reranker: Reranker
    verifier: Verifier
    checker: AgreementChecker | None = None
    editor: Editor | None = None
    card_reader: CardReader | None = None
    """Reads whole blocks instead of `checker` and `editor`."""
    doubting_reader: CardReader | None = None
    """Confirms the cards that code doubts; None: `card_reader` does."""
    record: Any = None
    """The `ReaderRecord` of `card_reader`: how it did on planted controls; None: no record is kept."""
    refusals: Callable[[], Callable[[str, Card], bool]] = lambda: lambda text, card: False
    """Reads what people refused: whether they did an edit of the card of a text."""
    given: tuple[Passage, ...] = ()
    """Passages that the caller gave and that fit into each request: all of them are shown to the reader."""
    searches: bool = True
    """Whether anything is searched; False where the given passages are all that there is."""
    rewriter: Rewriter | None = None
    """Used instead of `checker` and `editor` in a baseline that rewrites."""
    writers: Mapping[str, ArticleWriter] = field(default_factory=dict)
    """The writers of articles, by the names of their nodes: plan and write_section."""
    answer_writer: AnswerWriter | None = None
    """The writer of answers; None: an answer quotes the triples of a graph."""
    models: tuple[LanguageModel, ...] = ()
    """The language models of these components. The reviser closes their connections."""
    opened: tuple[object, ...] = ()
    """Other resources of these components that the reviser opened and, where that can be done, closes."""
    baseline: Baseline = NO_BASELINE
    """The baseline for which these components were made."""
    replaced: Mapping[str, Callable[..., Awaitable[Any]]] = field(default_factory=dict)
    """Nodes that are called in place of those of their names: a replay has the searches of its run."""
