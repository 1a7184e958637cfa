"""Makes the components that the settings name: chooses the class that does the work of each node."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from rarr.agent.refusals import Refusals, kept_refusals
from rarr.agent.wiring.models import LanguageModels, require_one_provider
from rarr.agent.wiring.sources import Resources, reranker, retriever, search_names
from rarr.backends.embedded.extractive_writing import ExtractiveWriter
from rarr.backends.embedded.near_quote_reader import NearQuoteReader, NearQuoteVerifier
from rarr.backends.prompted import paper
from rarr.backends.prompted.cards import READING_PROMPT, PromptedCardReader
from rarr.backends.prompted.decisions import DecisionVerifier
from rarr.backends.prompted.judging import DECISIONS, NLI, PromptedVerifier, is_language_model, parse_judge
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.questions import PromptedQuestions, QueriesByUnit
from rarr.backends.prompted.writing import PromptedAnswerWriter, PromptedArticleWriter
from rarr.components import (
    NO_BASELINE,
    PURR,
    WRITING_NODES,
    Baseline,
    CardReader,
    Components,
    QueryGenerator,
    Rewriter,
    Verifier,
)
from rarr.errors import SettingsError
from rarr.ledger.reader_record import ReaderRecord
from rarr.nodes.plan import MAX_SECTIONS
from rarr.prompts import Prompt
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.language_model import LanguageModel

Made = TypeVar("Made")

OF_MODEL = ("generate_queries", "check_agreement", "edit", *WRITING_NODES, "write_answer")
"""The nodes whose model is the setting `model`. The cards tell attribution unless `models` names a judge."""
MODEL_NODES = (*OF_MODEL[:3], "doubt", "attribute", *OF_MODEL[3:])
"""The nodes that have a model."""
SAMPLES = 3  # lists of questions that the paper samples and merges (Gao et al. 2023, section 3.2)


def wire(
    settings: Settings,
    on_index: Callable[[int, int], None] | None = None,
    *,
    prompts: Mapping[str, Prompt] | None = None,
    baseline: Baseline = NO_BASELINE,
    measuring: bool = False,
) -> Components:
    """Makes the components that `settings` name. Raises `RarrError` if one cannot be made.

    `prompts`, by name, win over the prompts of the settings. An evaluation may ask for a `baseline`. With
    `measuring`, neither the record of the reader nor what the user refused is read or written.
    """
    with Resources(settings) as opened:
        chosen = {"attribute": "embedded"} | dict.fromkeys(OF_MODEL, settings.model) | settings.models
        parts = ComponentMaker(settings, chosen, prompts, baseline)
        writer = partial(parts.prompted, component=PromptedArticleWriter, most=MAX_SECTIONS)
        checker = parts.prompted("check_agreement", paper.PromptedChecker)
        return Components(
            settings=settings,
            query_generator=parts.query_generator(),
            checker=checker if baseline.agreement else paper.NoChecker(),
            editor=parts.prompted("edit", paper.PromptedEditor),
            card_reader=parts.card_reader(),
            doubting_reader=parts.prompted("doubt", PromptedCardReader) if parts.reads_cards else None,
            record=None if measuring else parts.record(),
            refusals=Refusals if measuring else partial(kept_refusals, settings.home),
            verifier=parts.verifier(),
            rewriter=parts.rewriter(),
            writers={node: writer(node) or ExtractiveWriter() for node in WRITING_NODES},
            answer_writer=parts.prompted("write_answer", PromptedAnswerWriter),
            models=parts.models.all,
            reranker=reranker(settings, opened),  # before the retriever, which may have a corpus to index
            retriever=(searched := retriever(settings, opened, on_index)),
            given=(given := getattr(getattr(searched, "source", None), "if_all_fit", ())),
            searches=not given,
            opened=tuple(opened),  # after both
            baseline=baseline,
        )


class ComponentMaker:
    """Makes the component of each node, by its model in `chosen`: a language model, or embedded."""

    def __init__(
        self,
        settings: Settings,
        chosen: Mapping[str, Any],
        prompts: Mapping[str, Prompt] | None = None,
        baseline: Baseline = NO_BASELINE,
    ) -> None:
        """Raises `SettingsError` for an unknown node in `models`, and where a model cannot be used."""
        if unknown := [node for node in settings.models if node not in MODEL_NODES]:
            known = ", ".join(MODEL_NODES)
            raise SettingsError(f"models names an unknown node {unknown[0]!r}: the nodes are {known}")
        self.settings, self.baseline = settings, baseline
        self.judge = chosen.get("attribute", "embedded")
        self.judging, asked = parse_judge(self.judge, settings.model)
        named = {**chosen, "attribute": asked if is_language_model(asked) else "embedded"}
        self.named = {node: name for node, name in named.items() if name not in EMBEDDED}
        self.models = LanguageModels(settings, self.named.values())
        self.prompts = Prompts(settings.prompts, prompts)
        self.reads_cards = settings.scope == "sentence" and baseline.checks_sentences
        """Are whole blocks read? Not in the paper, nor in baselines without checks."""
        asks = {"check_agreement": baseline.checks_sentences, "edit": baseline.editor == "minimal"}
        way = "preset 'paper'" if baseline.agreement else "an edit without agreement"
        for node in (node for node, is_asked in asks.items() if is_asked and not self.reads_cards):
            self._require(node, way)

    def model(self, node: str) -> LanguageModel | None:
        """The language model of a node; None where it has none."""
        return self.models[self.named[node]] if node in self.named else None

    def _require(self, node: str, way: str) -> None:
        if node not in self.named:
            raise SettingsError(f"{way} needs a language model for {node}: name it with model")

    def prompted(self, node: str, component: Callable[..., Made], **more: Any) -> Made | None:
        """Makes a component with the language model of a node; None where it has none."""
        model = self.model(node)
        return component(model, self.prompts, **more) if model else None

    def card_reader(self) -> CardReader | None:
        """Makes the reader of cards; None where cards are not read."""
        if not self.reads_cards:
            return None
        if (reader := self.prompted("check_agreement", PromptedCardReader)) or not self.settings.weights:
            return reader or NearQuoteReader()
        from rarr.backends.encoder.model_files import require_packages

        require_packages()
        from rarr.backends.encoder.editor import TrainedReader  # these import numpy
        from rarr.backends.encoder.model import Encoder

        return TrainedReader(Encoder(self.settings.weights))

    def record(self) -> ReaderRecord | None:
        """Opens the record of the reader; None for a model without a server, such as an object."""
        name = self.named.get("check_agreement")
        if not self.reads_cards or not isinstance(name, str):
            return None
        server = self.models[name].models[0].server
        return ReaderRecord(self.settings.home, (name, server, self.prompts[READING_PROMPT].hash))

    def query_generator(self) -> QueryGenerator:
        """Chooses what to search for: questions on the web, sentences in documents at hand."""
        unit, model = self.settings.queries, self.model("generate_queries")
        if unit == "questions":
            self._require("generate_queries", "queries='questions'")
        if model is None or (unit in ("sentences", "text") and not self.reads_cards):
            return QueriesByUnit(None, "text" if unit == "text" else "sentences")
        if self.baseline.editor == "lamda":
            return paper.LamdaQueries(model, self.prompts)
        if not self.reads_cards:
            samples = SAMPLES if self.settings.scope == "text" else 1
            return PromptedQuestions(model, self.prompts, samples=samples)
        named, at_hand = search_names(self.settings), ("corpus", "graph")
        is_near = all(it in at_hand if isinstance(it, str) else getattr(it, "offline", False) for it in named)
        chosen = unit if unit != "auto" else "sentences" if is_near else "questions"
        return QueriesByUnit(PromptedQuestions(model, self.prompts), chosen)

    def rewriter(self) -> Rewriter | None:
        """Makes the rewriter of a baseline."""
        editor = self.baseline.editor
        if prompt := {"efec": "correct_text", "lamda": "rewrite_text"}.get(editor):
            self._require("edit", f"editor {editor!r}")
            return self.prompted("edit", paper.PromptedRewriter, prompt=prompt)
        if editor.startswith(PURR):
            from rarr.backends.fusion import FusionEditor  # it imports torch

            return FusionEditor(editor.removeprefix(PURR))
        return paper.NoRewriter() if editor == "none" else None

    def verifier(self) -> Verifier:
        """Makes the judge of support."""
        if judge := self.prompted("attribute", PromptedVerifier, prompt=self.judging):
            return judge
        if self.judge in EMBEDDED:
            return NearQuoteVerifier()
        if self.judge.startswith(DECISIONS):
            require_one_provider(self.settings, [*self.named.values(), *self.settings.fallbacks, self.judge])
            return DecisionVerifier(self.judge, self.settings)
        from rarr.backends.nli.verifier import NliVerifier  # it imports torch

        return NliVerifier(self.judge.removeprefix(NLI), self.settings.support_threshold)
