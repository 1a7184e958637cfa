"""The tools: each runs a call of `rarr`, and returns a text for a model and the records for a program."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import uuid4

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rarr.agent.revise import Reviser
from rarr.records import Notice, Revision
from rarr.records.citations import CitationStyle, Cited
from rarr.records.postprocessing import Postprocessed
from rarr.records.verification import Verification
from rarr.serve.jobs import Job, Task, Tasks
from rarr.tools.concurrency import in_own_task, work
from rarr.tools.text.wording import grouped, kind_of, nothing_checked
from rarr.views.revision_text import render, verification_text
from rarr.views.shown_text import one_line

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


class Tools:
    """The tools of one server. All of them share a reviser."""

    def __init__(self, reviser: Reviser) -> None:
        self._tasks = Tasks(reviser.settings, {"": reviser})

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
        result = await self._done("postprocess", text, question, evidence, only_evidence=only_evidence)
        if result.outcome in ("failed", "deadline") or result.revision is None:
            raise ToolError(result.notice)
        shown = await work(lambda: render(result.revision, terminal=False))
        brief = result.model_copy(update={"revision": _short(result.revision)})
        return _result(f"{result.notice}\n\n{shown}", brief)

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
        options = {"style": style, "mark_unsupported": mark_unsupported}
        cited = await self._done("cite", text, question, evidence, only_evidence=only_evidence, **options)
        if why := nothing_checked(cited.research):
            raise ToolError(f"nothing could be checked: {why}")
        wrong = [
            f"wrong citation: {one_line(check.text)} ({check.state.replace('_', ' ')})\n"
            for check in cited.existing
            if check.state in ("not_supported", "source_not_found")
        ]
        lines = [cited.text.rstrip("\n"), "\n\n", *wrong, *_warned(cited.research.warnings)]
        return _result("".join(lines), cited.model_copy(update={"research": _short(cited.research)}))

    async def verify_claim(
        self, claim: Claim, ctx: Context, question: Question = None, evidence: Passages = None
    ) -> Annotated[CallToolResult, Verification]:
        """Decide whether evidence supports a claim: attributable, contradictory or extrapolatory.

        Extrapolatory: the evidence does not tell. The result names the sentence of the evidence that decides,
        and the words of the claim that are confirmed, that differ, or that stay open. With `evidence`, it
        alone is read; without it, the sources of this server are searched.
        """
        verification = await self._done("verify", claim, question, evidence)
        if verification.label is None:
            why = next(iter(grouped(verification.warnings)), "it has no sentence that can be judged")
            raise ToolError(f"the claim could not be judged: {why}")
        kept = tuple(passage for passage in verification.evidence if not passage.suspicious)
        lines = [verification_text(verification), *_warned(verification.warnings)]
        return _result("".join(lines), verification.model_copy(update={"evidence": kept}))

    async def _done(
        self,
        task: Task,
        text: str,
        question: str | None,
        evidence: Passages,
        *,
        only_evidence: bool = False,
        **options: Any,
    ) -> Any:
        """Returns the record of a task. A caller that goes away ends it."""
        if only_evidence and not evidence:
            raise ToolError("only_evidence is true, and there is no evidence: give passages as evidence")
        given = tuple({k: v for k, v in each.model_dump().items() if v} for each in evidence or ())
        options |= {"search": "given"} if only_evidence else {}
        job = Job(task, text, uuid4().hex, context=question, sources=given, options=options)
        return (await in_own_task(self._tasks.run(job))).result()


def _result(text: str, record: BaseModel) -> CallToolResult:
    """Makes a result with the text for a model, and the record as structured content."""
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=record.model_dump(mode="json"))


def _warned(warnings: Iterable[Notice]) -> list[str]:
    return [f"warning: {one_line(line)}\n" for line in grouped(warnings)]


def _short(revision: Revision) -> Revision:
    """Leaves out what a caller rarely needs: queries, checks, and passages that nothing refers to.

    Passages that seem to speak to a language model are among them: the caller is one.
    """
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits)}
    for sentence in revision.report.sentences:
        used |= {*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)}
    kept = tuple(each for each in revision.evidence if each.id in used and not each.suspicious)
    return revision.model_copy(update={"queries": (), "checks": (), "evidence": kept})
