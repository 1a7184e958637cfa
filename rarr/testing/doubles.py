"""Offers test doubles for the components of nodes: small, deterministic, each with a record of its calls.

An exception in place of a script is raised at every call, to test how a node handles failures.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from rarr.components import (
    WRITING_NODES,
    AgreementChecker,
    ArticleWriter,
    CardReader,
    Components,
    Editor,
    Lacking,
    QueryGenerator,
    Reranker,
    Retriever,
    Rewriter,
    SectionSource,
    Verifier,
)
from rarr.errors import InputError
from rarr.records import Agreement, Change, Check, Evidence, Passage, Query, Question
from rarr.settings import Settings
from rarr.tools.text.blocks_and_sentences import Span

Script = TypeVar("Script")

RETRIEVED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of retrieval of every passage that was given as a string."""


class ScriptedQueries:
    """Asks the given questions. `calls` are (text, context).

        ScriptedQueries([("When did it open?", "1976")])

    The second item of a pair is the text that the question is about, at its first place. A question about
    words that the text lacks is not asked, so one script serves several texts. `later` are the questions of
    later rounds, about sentences that lack support.
    """

    def __init__(
        self,
        questions: Sequence[tuple[str, str]] | Exception = (),
        later: Sequence[tuple[str, str]] | Exception = (),
    ) -> None:
        self.calls: list[tuple[str, str | None]] = []
        self._questions, self._later = questions, later

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the scripted questions whose words are in `text`, in the order of the script."""
        self.calls.append((text, context))
        return [
            Question(text=question, start=text.index(about), end=text.index(about) + len(about))
            for question, about in _script(self._questions)
            if about in text
        ]

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Returns the questions of `later` whose words are in one of these sentences."""
        return [
            Question(text=question, start=start, end=start + len(about))
            for question, about in _script(self._later)
            for start in [text.find(about, span.start, span.end) for span in lacking.spans]
            if start >= 0
        ]


class InMemoryRetriever:
    """Searches the given passages. `calls` are (query, k).

        InMemoryRetriever(["The library opened in 1976.", passage])
        InMemoryRetriever({"When did it open?": ["It opened in 1976."], "Who built it?": OSError("down")})

    A list is searched by the words that query and passage share. In a mapping, a query gets its own list, or
    raises its exception; other queries get nothing. A string is a passage with its own source.
    """

    offline = True  # can be used with the setting `offline`

    def __init__(
        self,
        passages: Sequence[Passage | str]
        | Mapping[str, Sequence[Passage | str] | Exception]
        | Exception = (),
    ) -> None:
        if isinstance(passages, str):
            raise InputError("passages is one text: give a list, such as [text]")
        self.calls: list[tuple[str, int]] = []
        self._passages = passages

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the matching passages of the `k` best sources; those of the same rank keep their order."""
        self.calls.append((query, k))
        script = _script(self._passages)
        if isinstance(script, Mapping):
            matches = [_passage(entry) for entry in _script(script.get(query, ()))]
        else:
            passages = [_passage(entry) for entry in script]
            shared = {id(passage): len(_words(query) & _words(passage.text)) for passage in passages}
            matches = [passage for passage in passages if shared[id(passage)]]
            matches.sort(key=lambda passage: -shared[id(passage)])
        sources = list(dict.fromkeys(passage.source for passage in matches))[:k]
        return [passage for passage in matches if passage.source in sources]


class ScriptedReranker:
    """Scores passages by their words. `calls` are (query, passages).

        ScriptedReranker({"1976": 0.9, "library": 0.3})

    A passage gets the score of the first key in its text, and 0 without one. Without a script, all passages
    are equally relevant and keep the retriever's order.
    """

    def __init__(self, scores: Mapping[str, float] | Exception | None = None) -> None:
        self.calls: list[tuple[str, tuple[Passage, ...]]] = []
        self._scores = {"": 1.0} if scores is None else scores

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the scripted scores."""
        self.calls.append((query, tuple(passages)))
        scores = _script(self._scores)
        return [next((scores[key] for key in scores if key in passage.text), 0.0) for passage in passages]


class ScriptedChecker:
    """Returns the scripted agreements. `calls` are (text, context, query, evidence).

        ScriptedChecker({("When did it open?", "1976"): Agreement(verdict="agrees")})
        ScriptedChecker(lambda text, query, evidence: Agreement(verdict="irrelevant"))

    A key is the query's text and a part of the evidence's text; other pairs are `unknown`. A scripted
    disagreement becomes an agreement once the text has lost its `text_answer` and has the `evidence_answer`.
    """

    def __init__(
        self,
        script: Mapping[tuple[str, str], Agreement]
        | Callable[[str, Query, Evidence], Agreement]
        | Exception
        | None = None,
    ) -> None:
        self.calls: list[tuple[str, str | None, Query, Evidence]] = []
        self._script = {} if script is None else script

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns the scripted agreement."""
        self.calls.append((text, context, query, evidence))
        script = self._script
        if isinstance(script, Exception):
            raise script
        if not isinstance(script, Mapping):
            return script(text, query, evidence)
        for (question, part), agreement in script.items():
            if question == query.text and part in evidence.text:
                return _after_edit(agreement, text)
        return Agreement(verdict="unknown", reason="the script has no answer for it")


class ScriptedEditor:
    """Replaces the text's answer by the evidence's. `calls` are (text, context, query, check, evidence).

        ScriptedEditor()
        ScriptedEditor(lambda text, query, check, evidence: Change(start=0, end=7, new="California"))

    Without a script it changes the answer's first place at or after the start of the query's range, else its
    first place in the text. It declines if the text lacks the answer.
    """

    def __init__(
        self, script: Callable[[str, Query, Check, Evidence], Change | None] | Exception | None = None
    ) -> None:
        self.calls: list[tuple[str, str | None, Query, Check, Evidence]] = []
        self._script = script

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns the scripted change. Without a script, replaces the text's answer; None if it lacks it."""
        self.calls.append((text, context, query, check, evidence))
        script = _script(self._script)
        if script is not None:
            return script(text, query, check, evidence)
        start = text.find(check.text_answer, query.start)
        start = text.find(check.text_answer) if start < 0 else start
        if start < 0 or not check.text_answer:
            return None
        return Change(start=start, end=start + len(check.text_answer), new=check.evidence_answer)


class ScriptedVerifier:
    """Returns the scripted supports. `calls` are (text, context, spans, evidence).

        ScriptedVerifier({("opened in 1976", "1976"): 0.9})
        ScriptedVerifier(lambda sentence, evidence: 1.0)

    A key is a part of the sentence and a part of the evidence; other pairs are not judged. Without a script,
    the support is the share of the sentence's words that the evidence has.
    """

    def __init__(
        self,
        script: Mapping[tuple[str, str], float | None]
        | Callable[[str, Evidence], float | None]
        | Exception
        | None = None,
    ) -> None:
        self.calls: list[tuple[str, str | None, tuple[Span, ...], Evidence]] = []
        self._script = _shared_words if script is None else script

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the scripted support of each sentence."""
        self.calls.append((text, context, tuple(spans), evidence))
        script = self._script
        if isinstance(script, Exception):
            raise script
        if not isinstance(script, Mapping):
            return [script(span.of(text), evidence) for span in spans]
        return [
            next((script[key] for key in script if key[0] in span.of(text) and key[1] in evidence.text), None)
            for span in spans
        ]


def _script(script: Script | Exception) -> Script:
    if isinstance(script, Exception):
        raise script
    return script


def _passage(entry: Passage | str) -> Passage:
    if isinstance(entry, Passage):
        return entry
    return Passage(text=entry, source=f"memory:{entry}", start=0, end=len(entry), retrieved_at=RETRIEVED_AT)


def _after_edit(agreement: Agreement, text: str) -> Agreement:
    old, new = agreement.text_answer, agreement.evidence_answer
    if agreement.verdict == "disagrees" and old and old not in text and new in text:
        return agreement.model_copy(update={"verdict": "agrees", "text_answer": new})
    return agreement


def _shared_words(sentence: str, evidence: Evidence) -> float | None:
    words = _words(sentence)
    return len(words & _words(evidence.text)) / len(words) if words else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


class ScriptedWriter:
    """Writes the given sections. `calls` are (what was asked, heading or topic).

        ScriptedWriter({"History": "It opened in 1976 [1].", "Design": TimeoutError("no answer")})

    A section that is not in the script is empty. The headings are those of the script, unless `outline` gives
    others. An exception is raised in place of a text.
    """

    def __init__(
        self,
        sections: Mapping[str, str | Exception],
        *,
        outline: Sequence[str] | Exception | None = None,
    ) -> None:
        self.calls: list[tuple[str, str]] = []
        self._sections = sections
        self._outline = list(sections) if outline is None else outline

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the scripted headings."""
        self.calls.append(("outline", topic))
        if isinstance(self._outline, Exception):
            raise self._outline
        return self._outline

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Returns the scripted text of the section."""
        heading = sources[at].section.heading
        self.calls.append(("section", heading))
        return _text(self._sections.get(heading, ""))

    async def article(self, topic: str, chunks: Sequence[Evidence], most: int) -> Sequence[tuple[str, str]]:
        """Returns all scripted sections."""
        self.calls.append(("article", topic))
        return [(heading, _text(text)) for heading, text in self._sections.items()]


def _text(given: str | Exception) -> str:
    if isinstance(given, Exception):
        raise given
    return given


def scripted_components(
    *,
    settings: Settings | None = None,
    query_generator: QueryGenerator | None = None,
    retriever: Retriever | None = None,
    reranker: Reranker | None = None,
    card_reader: CardReader | None = None,
    checker: AgreementChecker | None = None,
    editor: Editor | None = None,
    verifier: Verifier | None = None,
    rewriter: Rewriter | None = None,
    writer: ArticleWriter | None = None,
) -> Components:
    """Makes components for `Reviser(components=...)`: each that is not given is a double without a script.

        components = scripted_components(
            query_generator=ScriptedQueries([("Which state grows the most peaches?", "Georgia")]),
            retriever=InMemoryRetriever(["California grows the most peaches."]),
            checker=ScriptedChecker(
                {
                    ("Which state grows the most peaches?", "California"): Agreement(
                        verdict="disagrees", text_answer="Georgia", evidence_answer="California"
                    )
                }
            ),
        )
        revision = Reviser(components=components).revise("Georgia grows the most peaches.")
        assert revision.text == "California grows the most peaches."

    These doubles ask nothing, retrieve nothing, find everything equally relevant, cannot judge agreement,
    replace answers, and judge support by shared words. Without a `card_reader`, the checker and the editor
    work as in the preset `paper`.
    """
    return Components(
        settings=settings or Settings(),
        query_generator=query_generator or ScriptedQueries(),
        retriever=retriever or InMemoryRetriever(),
        reranker=reranker or ScriptedReranker(),
        card_reader=card_reader,
        checker=checker or ScriptedChecker(),
        editor=editor or ScriptedEditor(),
        verifier=verifier or ScriptedVerifier(),
        rewriter=rewriter,
        writers={} if writer is None else dict.fromkeys(WRITING_NODES, writer),
    )
