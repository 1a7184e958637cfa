"""Offers `rarr` to agents as tools of the Model Context Protocol (MCP). Needs the extra mcp.

A tool returns a text, which the model of the agent reads, and a record, which programs read.
"""

import logging
from collections.abc import Callable
from inspect import getdoc
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from rarr.agent.inputs import context_text
from rarr.agent.revise import Reviser
from rarr.agent.verify import averify_by_search
from rarr.batches.jobs import Sources, first_wrong_value
from rarr.errors import RarrError, SetupError
from rarr.records import Revision, Verification
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.settings import VERSION, Settings
from rarr.tools.concurrency import by_deadline, work
from rarr.tools.models.failures import redact_secrets
from rarr.tools.text.wording import warning_lines
from rarr.views.revision_text import revision_text, verification_text
from rarr.views.shown_text import one_line

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
except ImportError:
    raise SetupError('the tools for agents need a package: pip install "rarr[mcp]"') from None

LONGEST_TEXT = 100_000  # characters
_INSTRUCTIONS = (
    "Checks texts against evidence: the sources of this server, and passages that you give. You cannot name"
    " files or addresses to read. A sentence that is not confirmed is not wrong: nothing decides it."
)

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="Plain or in Markdown.")]
Claim = Annotated[str, Field(min_length=1, max_length=5_000, description="Sentences that state facts.")]
Question = Annotated[
    str | None,
    Field(max_length=LONGEST_TEXT, description="The question that it answers, if it is not clear alone."),
]
Given = Annotated[
    Sources | None,
    Field(
        min_length=1,
        max_length=50,
        description="Passages that you have at hand: texts, or objects with text, title and source. They"
        " alone are read; without them, the sources of this server are searched.",
    ),
]


class ToolServer(MCPServer[Any]):
    """An MCP server with the tools of `rarr`. `run()` serves standard input; other methods serve HTTP.

    `settings` names the sources that the tools search. `on_index` is passed to `Reviser`. Raises `RarrError`
    if a package, a model or a source is missing. Close the server with `aclose` after its last use.
    """

    def __init__(
        self, settings: Settings | None = None, *, on_index: Callable[[int, int], None] | None = None
    ) -> None:
        self._reviser = Reviser(settings or Settings(), on_index=on_index)
        tools = [_make_tool(method) for method in (self.revise_text, self.cite_text, self.verify_claim)]
        log = logging.getLogger()
        handlers, level = list(log.handlers), log.level
        super().__init__("rarr", title="rarr", version=VERSION, instructions=_INSTRUCTIONS, tools=tools)
        log.handlers[:] = handlers  # undo what the library changed in the application's log
        log.setLevel(level)

    async def revise_text(
        self, text: Text, context: Question = None, sources: Given = None
    ) -> Annotated[CallToolResult, Postprocessed]:
        """Check the facts of a text against evidence, and correct those that the evidence contradicts.

        The text changes as little as possible. The result has the corrected text, each change with its
        source, and the sentences that stay contradicted or unconfirmed. Use it on a draft or an answer before
        you give it to somebody.
        """
        return await self._postprocess_text("revise", text, context, sources)

    async def cite_text(
        self, text: Text, context: Question = None, sources: Given = None
    ) -> Annotated[CallToolResult, Postprocessed]:
        """Put citations behind the sentences of a text that evidence supports, and change nothing else.

        The list of sources comes at the end. Citations that the text has already are checked.
        """
        return await self._postprocess_text("cite", text, context, sources)

    async def verify_claim(
        self, claim: Claim, context: Question = None, sources: Given = None
    ) -> Annotated[CallToolResult, Verification]:
        """Decide whether evidence supports a claim: attributable, contradictory or extrapolatory.

        Extrapolatory: the evidence does not tell. The result names the sentence of the evidence that decides,
        and the words of the claim that are confirmed, that differ, or that stay open. If `sources`
        are given, only they are read; else the sources of this server are searched.
        """
        call = averify_by_search(self._reviser, claim, context_text(context, claim), sources or ())
        verification: Any = await by_deadline(call, None)
        if verification.label is None:
            why = next(iter(warning_lines(verification.warnings)), "it has no sentence that can be judged")
            raise ToolError(f"the claim could not be judged: {why}")
        kept = tuple(passage for passage in verification.evidence if not passage.suspicious)
        warned = "".join(f"warning: {one_line(line)}\n" for line in warning_lines(verification.warnings))
        shown = await work(lambda: verification_text(verification))
        return _tool_result(shown + warned, verification.model_copy(update={"evidence": kept}))

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool. Raises `ToolError` with a message of one line that names the cure."""
        tools = {tool.name: tool for tool in self._tool_manager.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {one_line(name, 40)!r}: use {', '.join(tools)}")
        known = tools[name].parameters["properties"]
        if unknown := [key for key in arguments if key not in known]:
            raise ToolError(f"{name} has no argument {one_line(unknown[0], 40)!r}: give {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _one_line_error(name, error) from error.__cause__

    async def aclose(self) -> None:
        """Closes the files and connections of the reviser that the tools share."""
        await self._reviser.aclose()

    async def _postprocess_text(
        self, mode: PostprocessMode, text: str, context: str | None, sources: Given
    ) -> CallToolResult:
        options: dict[str, Any] = {"mode": mode, "search": "given" if sources else None}
        result = await self._reviser.apostprocess(text, context, sources, **options)
        if result.outcome in ("failed", "deadline") or (revision := result.revision) is None:
            raise ToolError(result.notice)
        shown = result.text if mode == "cite" else await work(lambda: revision_text(revision, terminal=False))
        checks = (it for it in result.existing if it.state in ("not_supported", "source_not_found"))
        lines = (f"{one_line(it.text)} ({it.state.replace('_', ' ')})" for it in checks)
        wrong = "".join(f"wrong citation: {line}\n" for line in lines)
        brief = result.model_copy(update={"revision": _shortened(revision)})
        return _tool_result(f"{result.notice}\n\n{shown.rstrip()}\n{wrong}", brief)


def _tool_result(text: str, record: BaseModel) -> CallToolResult:
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=record.model_dump(mode="json"))


def _shortened(revision: Revision) -> Revision:
    """Removes from `revision` the queries, the checks, unused evidence and passages that instruct a model."""
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits)}
    for sentence in revision.report.sentences:
        used |= {*sentence.evidence_ids, *(part.evidence_id for part in sentence.parts)}
    kept = tuple(each for each in revision.evidence if each.id in used and not each.suspicious)
    return revision.model_copy(update={"queries": (), "checks": (), "evidence": kept})


def _make_tool(method: Callable[..., Any]) -> Tool:
    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True)
    tool = Tool.from_function(method, description=getdoc(method), annotations=hints)
    tool.parameters["additionalProperties"] = False
    return tool


def _one_line_error(name: str, error: ToolError) -> ToolError:
    cause = error.__cause__
    if isinstance(error, UnexpectedToolError) and not isinstance(cause, RarrError):
        return UnexpectedToolError(f"{name} failed by a defect of rarr: its log has the reason")
    if not isinstance(cause, ValidationError):
        return ToolError(one_line(redact_secrets(str(cause or error))))
    place, told = first_wrong_value(cause)
    return ToolError(one_line(f"the argument {place} of {name} is wrong: {told}"))
