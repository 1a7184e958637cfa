"""Offers test doubles for the components of nodes: small, deterministic, each with a record of its calls.

An exception in place of a script is raised at every call, to test how a node handles failures.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rarr.components import WRITING_NODES, Components, Lacking
from rarr.errors import InputError
from rarr.records import Agreement, Change, Check, Evidence, Passage, Query, Question
from rarr.settings import Settings
from rarr.tools.text.blocks_and_sentences import Span

RETRIEVED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of retrieval of every passage that was given as a string."""


class Double:
    """A base class for doubles: records its calls in `calls`."""

    def __init__(self, script: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._script = script

    def scripted(self, *call: object) -> Any:
        """Records a call, and returns the script."""
        self.calls.append(call)
        return unless_failing(self._script)


def unless_failing(script: Any) -> Any:
    """Returns a script, and raises one that is an exception."""
    if isinstance(script, Exception):
        raise script
    return script


class ScriptedQueries(Double):
    """Asks the given questions. `calls` are (text, context).

        ScriptedQueries([("When did it open?", "1976")])

    The second item of a pair is what the question is about; it is asked where the text has these words.
    `later` are the questions of later rounds, about sentences that lack support.
    """

    def __init__(
        self,
        questions: Sequence[tuple[str, str]] | Exception = (),
        later: Sequence[tuple[str, str]] | Exception = (),
    ) -> None:
        super().__init__(questions)
        self._later = later

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the scripted questions whose words are in `text`."""
        return _questions(text, self.scripted(text, context), [Span(0, len(text))])

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Returns the questions of `later` whose words are in one of these sentences."""
        return _questions(text, unless_failing(self._later), lacking.spans)


def _questions(text: str, script: Sequence[tuple[str, str]], spans: Sequence[Span]) -> list[Question]:
    return [
        Question(text=question, start=start, end=start + len(about))
        for question, about in script
        for start in [text.find(about, span.start, span.end) for span in spans]
        if start >= 0
    ]


class InMemoryRetriever(Double):
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
        super().__init__(passages)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the matching passages of the `k` best sources; those of the same rank keep their order."""
        script = self.scripted(query, k)
        if isinstance(script, Mapping):
            found = [_passage(entry) for entry in unless_failing(script.get(query, ()))]
        else:
            ranked = [(len(_words(query) & _words(each.text)), each) for each in map(_passage, script)]
            ranked.sort(key=lambda pair: -pair[0])
            found = [passage for shared, passage in ranked if shared]
        sources = list(dict.fromkeys(passage.source for passage in found))[:k]
        return [passage for passage in found if passage.source in sources]


def _passage(entry: Passage | str) -> Passage:
    if isinstance(entry, Passage):
        return entry
    return Passage(text=entry, source=f"memory:{entry}", start=0, end=len(entry), retrieved_at=RETRIEVED_AT)


class ScriptedReranker(Double):
    """Scores passages by their words. `calls` are (query, passages).

        ScriptedReranker({"1976": 0.9, "library": 0.3})

    A passage gets the score of the first key in its text, and 0 without one. Without a script, all passages
    are equally relevant.
    """

    def __init__(self, scores: Mapping[str, float] | Exception | None = None) -> None:
        super().__init__({"": 1.0} if scores is None else scores)

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the scripted scores."""
        scores = self.scripted(query, tuple(passages))
        return [next((scores[key] for key in scores if key in passage.text), 0.0) for passage in passages]


class ScriptedChecker(Double):
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
        super().__init__(script or {})

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns the scripted agreement."""
        script = self.scripted(text, context, query, evidence)
        if not isinstance(script, Mapping):
            return script(text, query, evidence)  # type: ignore[no-any-return]
        for (question, part), agreement in script.items():
            if question == query.text and part in evidence.text:
                old, new = agreement.text_answer, agreement.evidence_answer
                is_edited = agreement.verdict == "disagrees" and old and old not in text and new in text
                return Agreement(verdict="agrees", text_answer=new) if is_edited else agreement
        return Agreement(verdict="unknown", reason="the script has no answer for it")


class ScriptedEditor(Double):
    """Replaces the text's answer by the evidence's. `calls` are (text, context, query, check, evidence).

        ScriptedEditor()
        ScriptedEditor(lambda text, query, check, evidence: Change(start=0, end=7, new="California"))

    Without a script it changes the answer's first place at or after the start of the query's range, else its
    first place in the text. It declines if the text lacks the answer.
    """

    def __init__(
        self, script: Callable[[str, Query, Check, Evidence], Change | None] | Exception | None = None
    ) -> None:
        super().__init__(_replacement if script is None else script)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns the scripted change; None declines."""
        script = self.scripted(text, context, query, check, evidence)
        return script(text, query, check, evidence)  # type: ignore[no-any-return]


def _replacement(text: str, query: Query, check: Check, evidence: Evidence) -> Change | None:
    answer = check.text_answer
    start = text.find(answer, query.start)
    start = text.find(answer) if start < 0 else start
    if start < 0 or not answer:
        return None
    return Change(start=start, end=start + len(answer), new=check.evidence_answer)


class ScriptedVerifier(Double):
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
        super().__init__(_shared_words if script is None else script)

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the scripted support of each sentence."""
        script = self.scripted(text, context, tuple(spans), evidence)
        if not isinstance(script, Mapping):
            return [script(span.of(text), evidence) for span in spans]
        return [
            next((script[key] for key in script if key[0] in span.of(text) and key[1] in evidence.text), None)
            for span in spans
        ]


def _shared_words(sentence: str, evidence: Evidence) -> float | None:
    words = _words(sentence)
    return len(words & _words(evidence.text)) / len(words) if words else None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def scripted_components(**given: Any) -> Components:
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

    `given` are fields of `Components`, and `writer` for all nodes that write. Without a `card_reader`, the
    checker and the editor work as in the preset `paper`.
    """
    writer = given.pop("writer", None)
    parts: dict[str, Any] = {
        "settings": Settings(),
        "query_generator": ScriptedQueries(),
        "retriever": InMemoryRetriever(),
        "reranker": ScriptedReranker(),
        "checker": ScriptedChecker(),
        "editor": ScriptedEditor(),
        "verifier": ScriptedVerifier(),
        "writers": {} if writer is None else dict.fromkeys(WRITING_NODES, writer),
    }
    return Components(**parts | {name: part for name, part in given.items() if part is not None})
