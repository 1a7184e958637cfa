"""Offers `Reviser` for many texts, and the calls for one text: `revise`, `cite`, `postprocess`."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, cast

from rarr.agent.blocks import by_blocks, expected_usage, is_divided
from rarr.agent.cite import cited, require_cards, unedited
from rarr.agent.graph import Graph, build_graph
from rarr.agent.inputs import Context, context_of, file_notices, required_text, text_notices
from rarr.agent.postprocess import in_time, postprocessed, require_options
from rarr.agent.refusals import Ids, with_decisions
from rarr.agent.runs import Made, RunOwner, built, revision_of, synchronous
from rarr.agent.wiring.sources import searching_given
from rarr.components import Components
from rarr.errors import InputError
from rarr.records import ModelUsage, Revision
from rarr.records.citations import Cited
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.retrievers.given_passages import Given, GivenPassages
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import Meter

Search = Literal["given"] | None
"""`given`: the sources of the call are searched alone."""
Sources = Sequence[Given] | None
"""Passages of a call: texts, documents of LangChain, records or search results."""


class Reviser(RunOwner[Revision]):
    """Builds models, indexes and the graph once; revises any number of texts, also at the same time."""

    def _graph(self) -> Graph:
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
        """Researches `text` in the light of `context`, a question or messages of a dialog, and revises it.

        `sources` are passages of this call: texts, documents of LangChain, records or search results. They
        are searched first, and alone with `search="given"`, or if the settings name neither a corpus nor a
        search. An empty list gives no passage.

        Offsets point into the revision's `original`. It is `text` as valid Unicode: each NUL and each lone
        surrogate is replaced by U+FFFD, and the two halves of a surrogate pair by one character.

        `run_id` names the run; None: a name is generated. Raises `InputError` for a text that cannot be
        revised, and for a name that is not allowed or already used. All later failures become warnings.
        """
        given, text, asked = f"{text}{context}", required_text(text, "text"), context_of(context)
        reviser = await self._searching(sources, search)
        return await reviser._new(text, asked, run_id, await work(text_notices, given, text, asked))

    revise = synchronous(arevise)

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
        """Researches `text` as `arevise` does, edits nothing, and puts a citation behind supported sentences.

        `mark_unsupported` marks sentences with `[citation needed]` that evidence contradicts or does not
        confirm. Citations that the text has already are checked; in a text without a list of sources, `[1]`
        means the first of `sources`.
        """
        researcher = await self.unedited()._searching(sources, search)
        research, asked = await researcher.arevise(text, context, run_id=run_id), context_of(context)
        return await cited(research, asked, researcher._components, mark_unsupported=mark_unsupported)

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
        """Does what `rarr.postprocess` does, with the models and sources of this reviser."""
        require_options(answer, mode, deadline_s)
        call = postprocessed(self, answer, context, sources, mode, search, run_id)
        return await in_time(call, answer, mode, deadline_s)

    postprocess = synchronous(apostprocess)

    def unedited(self) -> "Reviser":
        """Returns a reviser that researches as this one does, shares everything with it, and edits nothing.

        Raises `InputError` for components that rewrite or read no cards.
        """
        return self._of(unedited(self._components))

    def _of(self, components: Components) -> "Reviser":
        made = copy(self)
        made._components = components
        return made

    async def _searching(self, sources: Sources, search: Search) -> "Reviser":
        """Returns a reviser that searches the sources of a call. Raises `InputError` for wrong sources."""
        if search not in (None, "given"):
            raise InputError(f"search is {search!r}: give 'given', or name sources in the settings")
        if sources is None and search:
            raise InputError("search is given, and sources are not: give the passages as sources")
        if sources is None:
            return self
        given = await work(lambda: GivenPassages(sources, window=self.settings.window, name="sources"))
        alone = search == "given" or not self.names_sources
        made = self._of(searching_given(self._components, given, alone=alone))
        made._notices = [*self._notices, *file_notices(sources)]
        return made

    def _made(self, run_id: str, state: State, meter: Meter) -> Made[Revision]:
        return revision_of(run_id, state, meter), lambda research: research

    async def _walk(self, start: State, run_id: str, *, resumed: bool) -> State:
        """Takes the text through the graph; a long one in blocks. A resumed run keeps its finished blocks."""
        if not is_divided(start["original"], self._components):
            return await super()._walk(start, run_id, resumed=resumed)
        if not resumed:
            await self._checkpoints.keep(run_id, start, done=False)

        async def run_block(begun: State) -> State:
            kept = await self._checkpoints.stored(run_id, begun["block"])
            if kept is not None and not kept.tasks:
                return cast(State, kept.values)
            return await self._through_graph(None if kept else begun, run_id, begun["block"])

        state = await by_blocks(start, self._components, run_block)
        await self._checkpoints.keep(run_id, state, done=True)
        return state

    def decide(self, revision: Revision, *, accept: Ids = (), refuse: Ids = (), undo: Ids = ()) -> Revision:
        """Returns the revision after a person's decisions: ids of edits to `accept`, `refuse` or `undo`.

        A refused edit, made or suggested, leaves the text; the data folder keeps a hash of it, and no later
        run makes it until that is undone. Raises `InputError` for a wrong id, and then keeps nothing.
        """
        return with_decisions(revision, self.settings.home, accept, refuse, undo)

    def estimate(self, text: str, context: Context = None) -> ModelUsage:
        """Estimates the usage of `revise` for this text. Asks no model and searches nothing.

        `cost` is None if the price of a model is not known. Raises `InputError` for the preset `paper`.
        """
        require_cards(self._components)
        return expected_usage(required_text(text, "text"), context_of(context), self._components)


def _search_of(settings: dict[str, Any]) -> Search:
    """Returns "given" if a call searches its own sources alone, and clears the others in `settings`."""
    if settings.get("search") != "given":
        return None
    settings |= {"search": None, "corpus": None, "graph": None}
    return "given"


async def arevise(
    text: str, context: Context = None, *, sources: Sources = None, **settings: Any
) -> Revision:
    """Revises one text, as `Reviser.arevise` does.

    `settings` are the fields of `Settings`, such as `corpus="notes/"`, or `search="given"`.
    """
    search = _search_of(settings)
    async with built(Reviser, settings) as reviser:
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
    """Puts citations into one text, and changes nothing else of it.

    The arguments are those of `Reviser.acite`, and the fields of `Settings`, such as `corpus="notes/"`.
    """
    how: dict[str, Any] = {"search": _search_of(settings), "mark_unsupported": mark_unsupported}
    async with built(Reviser, settings) as reviser:
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
    """Postprocesses the answer of a model: corrects it, cites it, reports on it, or marks what is doubtful.

    `context` is the question or the conversation (messages with role and content) that it answers. `sources`
    are the passages that the model was given, as in `Reviser.arevise`: search results are objects such as
    {"text": ..., "url": ..., "title": ...}. With `search="given"`, they are searched alone.

    `mode` is `revise`, `cite` (only adds citations), `check` (changes nothing and reports) or `annotate`
    (marks what is contradicted or not confirmed). After `deadline_s` seconds the original is returned with a
    notice; building the models and indexing a corpus count too. `settings` are the fields of `Settings`.

    A failed search or model never raises: the result holds the original, and a notice that says why. Raises
    `InputError` for a wrong call, and `SetupError` where something that the settings ask for is missing.
    """
    search = _search_of(settings)
    require_options(answer, mode, deadline_s)

    async def finished() -> Postprocessed:
        async with built(Reviser, settings) as reviser:
            return await postprocessed(reviser, answer, context, sources, mode, search, None)

    return await in_time(finished(), answer, mode, deadline_s)


postprocess = synchronous(apostprocess)
