"""The tools: each runs a call of `rarr`, and returns a text for a model and the records for a program."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rarr.agent.evidence import find_evidence
from rarr.agent.revise import Reviser
from rarr.agent.verify import ClaimVerifier
from rarr.integrations.mcp.texts import (
    cited_lines,
    evidence_lines,
    revised_lines,
    short,
    verified_lines,
)
from rarr.records.citations import CitationStyle, Cited
from rarr.records.evidence_search_result import FoundEvidence
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from rarr.retrievers.given_passages import GivenPassages
from rarr.tools.concurrency import in_own_task, work
from rarr.tools.text.wording import grouped, kind_of, nothing_checked

LONGEST_TEXT = 100_000  # characters
_LONGEST_CLAIM = 5_000  # characters
_MOST_PASSAGES = 50


class GivenEvidence(BaseModel):
    """A passage to check against."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="The words of the passage.")
    title: str = Field("", max_length=300, description="The title of its document.")
    source: str = Field(
        "",
        max_length=2_000,
        description="The name or address by which it is cited. It is only a name: nothing is opened.",
    )


def _as_object(passage: object) -> object:
    """Makes an object of a passage that is a text. Raises `ValueError` for anything but a text or object."""
    if isinstance(passage, str):
        return {"text": passage}
    if not isinstance(passage, dict | GivenEvidence):
        raise ValueError(f"it is {kind_of(passage)}: give a text, or an object with text, title and source")
    return passage


_PassageText = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
_Passage = Annotated[
    GivenEvidence, BeforeValidator(_as_object, json_schema_input_type=_PassageText | GivenEvidence)
]
Text = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT, description="The text, plain or in Markdown.")
]
Claim = Annotated[
    str,
    Field(min_length=1, max_length=_LONGEST_CLAIM, description="One or a few sentences that state facts."),
]
Question = Annotated[
    str | None,
    Field(
        max_length=LONGEST_TEXT, description="The question that it answers, if the text alone is not clear."
    ),
]
Passages = Annotated[
    list[_Passage] | None,
    Field(
        max_length=_MOST_PASSAGES,
        description="Passages that you have at hand: texts, or objects with text, title and source. Without"
        " them, the sources of this server are searched.",
    ),
]
OnlyEvidence = Annotated[
    bool,
    Field(description="True: check against `evidence` alone. False: search the server's sources as well."),
]
SearchQuery = Annotated[
    str, Field(min_length=1, max_length=_LONGEST_CLAIM, description="A question or a claim.")
]
Most = Annotated[int, Field(ge=1, le=20, description="The number of passages, at most.")]


class Tools:
    """The tools of one server. All of them share a reviser."""

    def __init__(self, reviser: Reviser) -> None:
        self._reviser = reviser
        self._verifier = ClaimVerifier(components=reviser._components)

    async def revise_text(
        self,
        text: Text,
        ctx: Context,
        question: Question = None,
        evidence: Passages = None,
        only_evidence: OnlyEvidence = False,
    ) -> Annotated[CallToolResult, Postprocessed]:
        """Check the facts of a text against evidence, and correct those that the evidence contradicts.

        The text changes as little as possible. The result has the corrected text, each change with its
        source, and the sentences that stay contradicted or unconfirmed. Use it on a draft or an answer before
        you give it to somebody.
        """
        _require_evidence(evidence, only_evidence=only_evidence)
        sources, search = _sources(evidence), "given" if only_evidence else None
        done = await in_own_task(
            self._reviser.apostprocess(text, question, sources, search=search)  # type: ignore[arg-type]
        )
        result = done.result()
        if result.outcome in ("failed", "deadline") or result.revision is None:
            raise ToolError(result.notice)
        brief = result.model_copy(update={"revision": short(result.revision)})
        return await work(_result, revised_lines, result, brief)

    async def cite_text(
        self,
        text: Text,
        ctx: Context,
        question: Question = None,
        evidence: Passages = None,
        only_evidence: OnlyEvidence = False,
        style: CitationStyle = "numbered",
        mark_unsupported: bool = False,
    ) -> Annotated[CallToolResult, Cited]:
        """Put citations behind the sentences of a text that evidence supports, and change nothing else.

        The list of sources comes at the end. Citations that the text has already are checked. `style`:
        numbered [1] or footnotes [^1]. `mark_unsupported`: mark sentences that evidence contradicts or
        does not confirm with [citation needed].
        """
        reviser = await self._searching(evidence, only_evidence=only_evidence)
        done = await in_own_task(
            reviser.acite(text, question, style=style, mark_unsupported=mark_unsupported)
        )
        cited = done.result()
        if why := nothing_checked(cited.research):
            raise ToolError(f"nothing could be checked: {why}")
        brief = cited.model_copy(update={"research": short(cited.research)})
        return await work(_result, cited_lines, cited, brief)

    async def verify_claim(
        self, claim: Claim, ctx: Context, question: Question = None, evidence: Passages = None
    ) -> Annotated[CallToolResult, Verification]:
        """Decide whether evidence supports a claim: attributable, contradictory or extrapolatory.

        Extrapolatory: the evidence does not tell. The result names the sentence of the evidence that decides,
        and the words of the claim that are confirmed, that differ, or that stay open. With `evidence`, it
        alone is read; without it, the sources of this server are searched.
        """
        verified = (
            self._verifier.averify_by_search(self._reviser, claim, question)
            if evidence is None
            else self._verifier.averify(claim, _given(evidence), question)
        )
        verification = (await in_own_task(verified)).result()
        if verification.label is None:
            why = next(iter(grouped(verification.warnings)), "it has no sentence that can be judged")
            raise ToolError(f"the claim could not be judged: {why}")
        kept = tuple(passage for passage in verification.evidence if not passage.suspicious)
        brief = verification.model_copy(update={"evidence": kept})
        return await work(_result, verified_lines, verification, brief)

    async def find_evidence(
        self, query: SearchQuery, ctx: Context, limit: Most = 5
    ) -> Annotated[CallToolResult, FoundEvidence]:
        """Find the passages of this server's sources that are most relevant to a question or a claim.

        Each has its source, its place in it, and its relevance from 0 to 1. It judges nothing: to check a
        claim, use verify_claim.
        """
        found = (await in_own_task(find_evidence(self._reviser, query, limit))).result()
        return await work(_result, evidence_lines, found, found)

    async def _searching(self, evidence: Passages, *, only_evidence: bool) -> Reviser:
        """Returns the reviser that searches the evidence of a call, first or alone."""
        _require_evidence(evidence, only_evidence=only_evidence)
        if evidence is None:
            return self._reviser
        settings = self._reviser.settings
        passages = _sources(evidence) or ()
        given = await work(lambda: GivenPassages(passages, window=settings.window, step=settings.step))
        return self._reviser.searching(given, alone=only_evidence or not self._reviser.names_sources)


def _result(lines: Callable[[Any], str], shown: BaseModel, record: BaseModel) -> CallToolResult:
    """Makes a result with `lines(shown)` as text, and `record` as structured content."""
    return CallToolResult(
        content=[TextContent(type="text", text=lines(shown))],
        structured_content=record.model_dump(mode="json"),
    )


def _require_evidence(evidence: Passages, *, only_evidence: bool) -> None:
    if only_evidence and not evidence:
        raise ToolError("only_evidence is true, and there is no evidence: give passages as evidence")


def _sources(evidence: Sequence[GivenEvidence] | None) -> list[dict[str, Any]] | None:
    return None if evidence is None else [each.model_dump() for each in evidence]


def _given(evidence: Sequence[GivenEvidence]) -> list[dict[str, Any]]:
    return [{key: value for key, value in each.model_dump().items() if value} for each in evidence]
