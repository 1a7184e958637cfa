"""Declares `Reviser`, for many texts, and the functions `revise`, `cite` and `postprocess`, for one text."""

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any, Literal, cast

from rarr.agent.blocks import is_revised_in_blocks, revise_blocks
from rarr.agent.cite import add_citations, non_editing_components, require_card_reader
from rarr.agent.graph import Graph, build_graph
from rarr.agent.inputs import Context, context_text, file_name_notices, required_text, text_notices
from rarr.agent.postprocess import result_by_deadline, result_of_run, untouched_result
from rarr.agent.runs import GraphRunner, RunResult, opened_runner, revision_of, synchronous
from rarr.agent.wiring.sources import components_with_given
from rarr.backends.prompted.estimates import expected_usage
from rarr.components import Components
from rarr.errors import InputError, RarrError
from rarr.records import ModelUsage, Notice, Revision
from rarr.records.citations import Cited
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given, GivenPassages
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.models.failures import redact_secrets
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.wording import safe_text

Search = Literal["given"] | None
"""With `given`, only the `sources` of the call are searched."""
Sources = Sequence[Given] | None
"""The passages that a call gives: texts, LangChain documents, `Passage` records or search results."""


class Reviser(GraphRunner[Revision]):
    """Revises any number of texts, also at the same time. Builds models, indexes and the graph only once."""

    def _build_graph(self) -> Graph:
        return build_graph(rewriting=self._components.rewriter is not None)

    async def arevise(
        self,
        text: str,
        context: Context = None,
        *,
        sources: Sources = None,
        search: Search = None,
        run_id: str | None = None,
    ) -> Revision:
        """Researches and revises `text`. `context` is the question or the chat that `text` answers.

        `sources` are passages for this call: texts, LangChain documents, `Passage` records or search results.
        They are searched together with the sources of the settings. With `search="given"`, or if the settings
        name no corpus, graph or search, only `sources` are searched. An empty list adds no passage.
        Offsets point into the revision's `original`, which is `text` as valid Unicode: each NUL and each lone
        surrogate becomes U+FFFD, and the two halves of a surrogate pair become one character.

        `run_id` names the run; if it is None, a name is made. Raises `InputError` for wrong arguments, such
        as an empty text, and for a forbidden or used `run_id`. All later failures become warnings.
        """
        given, text, asked = f"{text}{context}", required_text(text, "text"), context_text(context)
        reviser = await self._with_sources(sources, search)
        return await reviser._run_new_text(text, asked, run_id, await work(text_notices, given, text, asked))

    revise = synchronous(arevise)

    def estimate(self, text: str, context: Context = None) -> ModelUsage:
        """Estimates the usage of `revise` for `text`, without a request. See `expected_usage`.

        Raises `InputError` for the preset `paper`.
        """
        require_card_reader(self._components)
        return expected_usage(required_text(text, "text"), context_text(context), self._components)

    async def acite(
        self,
        text: str,
        context: Context = None,
        *,
        sources: Sources = None,
        search: Search = None,
        mark_unsupported: bool = False,
        run_id: str | None = None,
    ) -> Cited:
        """Researches `text` without edits, and puts a citation behind each supported sentence.

        With `mark_unsupported`, sentences that evidence contradicts or does not confirm get the mark
        `[citation needed]`. Citations already in the text are checked. In a text without a list of
        sources, `[1]` means the first of `sources`.
        """
        researcher = await self.unedited()._with_sources(sources, search)
        research, asked = await researcher.arevise(text, context, run_id=run_id), context_text(context)
        return await add_citations(research, asked, researcher._components, mark_unsupported=mark_unsupported)

    cite = synchronous(acite)

    async def apostprocess(
        self,
        answer: str,
        context: Context = None,
        sources: Sources = None,
        *,
        mode: PostprocessMode = "revise",
        search: Search = None,
        deadline_s: float | None = None,
        run_id: str | None = None,
    ) -> Postprocessed:
        """Corrects, cites, checks or marks the answer of a model, as `rarr.postprocess` does."""
        how: Any = {"context": context, "mode": mode, "sources": sources, "search": search, "run_id": run_id}
        return await result_by_deadline(partial(self._postprocess_safely, **how), answer, mode, deadline_s)

    postprocess = synchronous(apostprocess)

    async def _postprocess_safely(
        self, answer: str, context: Context, mode: PostprocessMode, *, sources: Sources, **call: Any
    ) -> Postprocessed:
        """Postprocesses `answer`. After a failure, the answer stays unchanged. Raises only `InputError`."""
        try:
            asked, reviser = context_text(context, answer), self if mode == "revise" else self.unedited()
            is_alone = call["search"] == "given" or not self.names_sources
            if sources is not None and not len(sources) and is_alone:
                return untouched_result(answer, mode, "failed", "not checked: the answer has no sources")
            if mode == "cite":
                cited = await reviser.acite(answer, asked, sources=sources, **call)
                return await work(result_of_run, mode, cited.research, cited)
            revision = await reviser.arevise(answer, asked, sources=sources, **call)
            return await work(result_of_run, mode, revision)
        except InputError:
            raise
        except Exception as error:  # the application must get an answer to send
            named = "" if isinstance(error, RarrError) else f"{type(error).__name__}: "
            why = f"not checked: {named}{safe_text(redact_secrets(' '.join(str(error).split())))}"
            return untouched_result(answer, mode, "failed", why)

    def unedited(self) -> "Reviser":
        """Returns a reviser that makes no edits, with the same models, sources and settings.

        Raises `InputError` if the components have a rewriter, or lack a reader of cards.
        """
        return self._with_components(non_editing_components(self._components))

    def _with_components(self, components: Components) -> "Reviser":
        made = copy(self)
        made._components = components
        return made

    async def _with_sources(self, sources: Sources, search: Search) -> "Reviser":
        """Returns a reviser that searches `sources` for one call. Raises `InputError` for wrong arguments."""
        if search not in (None, "given"):
            raise InputError(f"search is {search!r}: give 'given', or name sources in the settings")
        if sources is None and search:
            raise InputError("search is given, and sources are not: give the passages as sources")
        if sources is None:
            return self
        given = await work(lambda: GivenPassages(sources, window=self.settings.window, name="sources"))
        alone = search == "given" or not self.names_sources
        made = self._with_components(components_with_given(self._components, given, alone=alone))
        own = [it for it in self._notices if not (alone and it.node == "retrieve")]  # no file is searched
        dates = [Notice(code="date_not_read", message=it, node="") for it in given.undated]
        made._notices = [*own, *file_name_notices(sources), *dates]
        return made

    def _make_result(self, run_id: str, state: State, meter: Meter) -> RunResult[Revision]:
        return revision_of(run_id, state, meter), lambda research: research

    async def _run_to_end(self, start: State, run_id: str, *, resumed: bool) -> State:
        """Runs the graph on a text, or on each block of a long text. A resumed run keeps finished blocks."""
        if not is_revised_in_blocks(start["original"], self._components):
            return await super()._run_to_end(start, run_id, resumed=resumed)
        if not resumed:
            await self._checkpoints.store_state(run_id, start, done=False)

        async def run_block(begun: State) -> State:
            kept = await self._checkpoints.stored_state(run_id, begun["block"])
            if kept is not None and not kept.tasks:
                return cast(State, kept.values)
            return await self._run_graph(None if kept else begun, run_id, begun["block"])

        state = await revise_blocks(start, self._components, run_block)
        await self._checkpoints.store_state(run_id, state, done=True)
        return state


def _take_given_search(settings: dict[str, Any]) -> Search:
    """If `search` is "given", removes all sources from `settings` and returns "given". Else returns None."""
    if settings.get("search") != "given":
        return None
    settings |= {"search": None, "corpus": None, "graph": None}
    return "given"


async def arevise(
    text: str, context: Context = None, *, sources: Sources = None, **settings: Any
) -> Revision:
    """Revises one text, as `Reviser.arevise` does. Closes all models and sources at the end.

    `settings` are fields of `Settings`, such as `corpus="notes/"`, or `search="given"`.
    """
    search = _take_given_search(settings)
    async with opened_runner(Reviser, settings) as reviser:
        return await reviser.arevise(text, context, sources=sources, search=search)


revise = synchronous(arevise)


async def acite(
    text: str,
    context: Context = None,
    *,
    sources: Sources = None,
    mark_unsupported: bool = False,
    **settings: Any,
) -> Cited:
    """Puts citations into one text, and makes no other change to the text.

    The arguments are those of `Reviser.acite`, and fields of `Settings`, such as `corpus="notes/"`.
    """
    how: dict[str, Any] = {"search": _take_given_search(settings), "mark_unsupported": mark_unsupported}
    async with opened_runner(Reviser, settings) as reviser:
        return await reviser.acite(text, context, sources=sources, **how)


cite = synchronous(acite)


async def apostprocess(
    answer: str,
    context: Context = None,
    sources: Sources = None,
    *,
    mode: PostprocessMode = "revise",
    deadline_s: float | None = None,
    **settings: Any,
) -> Postprocessed:
    """Postprocesses the answer of a model: corrects, cites or checks it, or marks doubtful sentences.

    `context` is the question or the conversation (messages with role and content) that `answer` answers.
    `sources` are the passages that the model was given, as in `Reviser.arevise`; a search result is an object
    such as {"text": ..., "url": ..., "title": ...}. With `search="given"`, only `sources` are searched.
    `mode` is `revise`, `cite` (only adds citations), `check` (changes nothing and reports) or `annotate`
    (marks sentences that are contradicted or not confirmed). After `deadline_s` seconds, which include the
    time to build models and to index a corpus, the original answer is returned with a notice. `settings` are
    fields of `Settings`.

    If a search or a model fails, the result has the original answer, and a notice tells why. Raises
    `InputError` for a wrong call, and `SetupError` if something that the settings name is missing.
    """
    search = _take_given_search(settings)

    async def finished(text: str) -> Postprocessed:
        async with opened_runner(Reviser, settings) as reviser:
            return await reviser._postprocess_safely(text, context, mode, sources=sources, search=search)

    return await result_by_deadline(finished, answer, mode, deadline_s)


postprocess = synchronous(apostprocess)
