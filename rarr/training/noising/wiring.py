"""Makes the components of noising from settings: search, reranker, verifier and a language model."""

from collections.abc import Callable
from dataclasses import dataclass

from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.resources import Resources, opening
from rarr.agent.wiring.search_and_reranking import reranker, retriever
from rarr.backends.prompted.noising import PromptedNoiser
from rarr.components import Closes, Reranker, Retriever, Verifier, close_all
from rarr.errors import SettingsError
from rarr.settings import Settings

_WRITING = "noise"  # the name, beside those of nodes, for which a language model is chosen


@dataclass(frozen=True)
class Noising:
    """Everything that one run of noising uses. `opened` has to be closed at the end."""

    settings: Settings
    retriever: Retriever
    reranker: Reranker
    verifier: Verifier
    noiser: PromptedNoiser
    verified_by: str
    opened: tuple[Closes, ...] = ()

    async def aclose(self) -> None:
        """Closes the components in `opened`, with their files and connections."""
        await close_all(self.opened)


def wire_noising(settings: Settings, on_index: Callable[[int, int], None] | None = None) -> Noising:
    """Makes the components that `settings` name. Raises `RarrError`, before any cost, if it cannot."""
    with opening(settings) as opened:
        return _wired(settings, opened, on_index)


def _wired(settings: Settings, opened: Resources, on_index: Callable[[int, int], None] | None) -> Noising:
    judging = {node: name for node, name in settings.models.items() if node == "attribute"}
    parts = ComponentMaker(settings, {_WRITING: settings.model} | judging, opened)
    if _WRITING not in parts.named:
        raise SettingsError(
            f"{settings.model!r} cannot write summaries: set model to a language model, such as vllm:NAME"
        )
    return Noising(
        settings=settings,
        verifier=parts.verifier(),
        noiser=PromptedNoiser(parts.models[settings.model], parts.prompts),
        verified_by=str(judging.get("attribute", "embedded")),
        reranker=reranker(settings, opened),
        retriever=retriever(settings, opened, on_index),  # last, since indexing a corpus may take long
        opened=(*parts.models.all, *opened),
    )
