"""Makes the components that the settings name: chooses the class that does the work of each node."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rarr.agent.wiring.judges import JudgeMaker
from rarr.agent.wiring.language_models import LanguageModels
from rarr.agent.wiring.resources import Resources, opening
from rarr.agent.wiring.search_and_reranking import given_passages, reranker, retriever, search_names
from rarr.backends.baselines import NoEditor, NoRewriter, RandomRewriter, UnaskedAgreement
from rarr.backends.embedded.extractive_writing import ExtractiveWriter
from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.backends.judge_name_parsing import is_language_model
from rarr.backends.prompted.answers import PromptedAnswers
from rarr.backends.prompted.cards import READING, PromptedCardReader
from rarr.backends.prompted.paper import PromptedChecker, PromptedEditor
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.questions import CardQueries, PromptedQuestions, Unit
from rarr.backends.prompted.rewriting_baselines import PromptedRewriter, PromptedSearches
from rarr.backends.prompted.writing import PromptedWriter
from rarr.components import (
    NO_BASELINE,
    WRITING_NODES,
    AgreementChecker,
    AnswerWriter,
    ArticleWriter,
    Baseline,
    CardReader,
    Components,
    Editor,
    QueryGenerator,
    Rewriter,
    Verifier,
)
from rarr.errors import SettingsError
from rarr.ledger.reader_record import ReaderRecord
from rarr.prompts import Prompt
from rarr.settings import EMBEDDED, Settings

REVISING = ("generate_queries", "check_agreement", "edit")
MODEL_NODES = (*REVISING, "doubt", "attribute", *WRITING_NODES, "write_answer")
"""The nodes that have a model; `model` is the model of the nodes that revise, and of those that write.

The cards tell attribution unless `models` names a judge for attribute.
"""


def wire(
    settings: Settings,
    on_index: Callable[[int, int], None] | None = None,
    *,
    prompts: Mapping[str, Prompt] | None = None,
    baseline: Baseline = NO_BASELINE,
) -> Components:
    """Makes the components that `settings` name. Raises `RarrError` if one cannot be made.

    `prompts`, by name, win over the prompts of the settings. An evaluation may ask for a `baseline`.
    """
    with opening(settings) as opened:
        chosen = {"attribute": "embedded"} | dict.fromkeys(
            (*REVISING, *WRITING_NODES, "write_answer"), settings.model
        )
        chosen |= settings.models
        parts = ComponentMaker(settings, chosen, opened, prompts, baseline)
        made = Components(
            settings=settings,
            query_generator=parts.query_generator(),
            checker=parts.checker(),
            editor=parts.editor(),
            card_reader=parts.card_reader("check_agreement"),
            doubting_reader=parts.card_reader("doubt"),
            record=parts.record(),
            verifier=parts.verifier(),
            rewriter=parts.rewriter(),
            writers={node: parts.writer(node) for node in WRITING_NODES},
            answer_writer=parts.answer_writer(),
            models=parts.models.all,
            reranker=reranker(settings, opened),  # before the retriever, which may have a corpus to index
            retriever=retriever(settings, opened, on_index),
            opened=tuple(opened),  # after both
            baseline=baseline,
        )
        given = given_passages(made.retriever)
        return replace(made, given=given, searches=not given)


class ComponentMaker:
    """Makes the component of each node, by its model in `chosen`: a language model, or embedded."""

    def __init__(
        self,
        settings: Settings,
        chosen: Mapping[str, Any],
        opened: Resources,
        prompts: Mapping[str, Prompt] | None = None,
        baseline: Baseline = NO_BASELINE,
    ) -> None:
        """Raises `SettingsError` where `models` names no node, or a model cannot be used."""
        for node in settings.models:
            if node not in MODEL_NODES:
                raise SettingsError(
                    f"models names an unknown node {node!r}: the nodes are {', '.join(MODEL_NODES)}"
                )
        self.settings, self.opened, self.baseline = settings, opened, baseline
        self.named = {node: name for node, name in chosen.items() if name not in EMBEDDED}
        self.judge = chosen.get("attribute", "embedded")
        language_models = [
            model for node, model in self.named.items() if is_language_model(model) or node != "attribute"
        ]
        self.models = LanguageModels(settings, language_models)
        self.prompts = Prompts(settings.prompts, prompts)
        self.judges = JudgeMaker(settings, self.models, self.prompts, opened)

    @property
    def reads_cards(self) -> bool:
        """Are whole blocks read? Not in the paper, nor in baselines without checks."""
        usual = self.baseline.agreement and self.baseline.editor in ("minimal", "unedited")
        return self.settings.scope == "sentence" and usual

    def card_reader(self, node: str) -> CardReader | None:
        """Makes the reader of a node's model; None where cards are not read, or the node names no model."""
        if not self.reads_cards:
            return None
        if node not in self.named:
            if node != "check_agreement":
                return None
            return self._embedded_reader()
        return PromptedCardReader(self.models[self.named[node]], self.prompts)

    def _embedded_reader(self) -> CardReader:
        if not self.settings.weights:
            return NearQuoteReader()
        from rarr.backends.encoder.editor import TrainedReader  # it imports numpy

        return TrainedReader(self.opened.encoder)

    def record(self) -> ReaderRecord | None:
        """Opens the record of the reader; None for a model without a server, such as an object."""
        name = self.named.get("check_agreement")
        if not self.reads_cards or not isinstance(name, str):
            return None
        server = self.models[name].models[0].server
        return ReaderRecord(self.settings.home, (name, server, self.prompts[READING].hash))

    def query_generator(self) -> QueryGenerator:
        unit = self.settings.queries
        if "generate_queries" not in self.named:
            if unit == "questions":
                raise SettingsError("queries='questions' needs a language model: name it with model")
            return CardQueries(None, "text" if unit == "text" else "sentences")
        if self.reads_cards:
            return CardQueries(self._questions(), self._query_unit())
        if unit in ("sentences", "text"):
            return CardQueries(None, unit)
        if self.baseline.editor == "lamda":
            return PromptedSearches(self.models[self.named["generate_queries"]], self.prompts)
        return self._questions()

    def _questions(self) -> PromptedQuestions:
        return PromptedQuestions(
            self.models[self.named["generate_queries"]],
            self.prompts,
            samples=self.settings.query_samples,
            temperature=self.settings.query_temperature,
            merging=self.settings.merge_questions,
        )

    def _query_unit(self) -> Unit:
        """Chooses what to search for: questions on the web, sentences in documents at hand."""
        if self.settings.queries != "auto":
            return self.settings.queries
        at_hand = ("corpus", "graph")
        names = search_names(self.settings)
        objects = [name for name in names if not isinstance(name, str)]
        is_own = all(name in at_hand for name in names if isinstance(name, str))
        return "sentences" if is_own and all(getattr(it, "offline", False) for it in objects) else "questions"

    def checker(self) -> AgreementChecker:
        """Makes the checker of the paper. Nothing asks it where cards are read or a text is rewritten."""
        if not self.baseline.agreement:
            return UnaskedAgreement()
        if "check_agreement" not in self.named:
            self._require_no_model("check_agreement")
            return UnaskedAgreement()
        return PromptedChecker(self.models[self.named["check_agreement"]], self.prompts)

    def editor(self) -> Editor:
        """Makes the editor of the paper, as `checker` says."""
        if self.baseline.editor == "unedited":
            return NoEditor()
        if "edit" not in self.named:
            self._require_no_model("edit")
            return NoEditor()
        return PromptedEditor(self.models[self.named["edit"]], self.prompts)

    def _require_no_model(self, node: str) -> None:
        """Raises `SettingsError` where a node without a model would be asked."""
        if not self.reads_cards and self.baseline.editor in ("minimal", "unedited"):
            way = "scope 'text' (preset 'paper')" if self.baseline.agreement else "an edit without agreement"
            raise SettingsError(f"{way} needs a language model for {node}: name it with model")

    def rewriter(self) -> Rewriter | None:
        editor = self.baseline.editor
        if editor in ("efec", "lamda"):
            if "edit" not in self.named:
                raise SettingsError(f"editor {editor!r} needs a language model: name it with model")
            model = self.models[self.named["edit"]]
            return PromptedRewriter(model, self.prompts, anew=editor == "lamda")
        if editor == "random":
            return RandomRewriter()
        return NoRewriter() if editor == "none" else None

    def verifier(self) -> Verifier:
        return self.judges.verifier(self.judge)

    def writer(self, node: str) -> ArticleWriter:
        if node not in self.named:
            return ExtractiveWriter()
        return PromptedWriter(self.models[self.named[node]], self.prompts, most=self.settings.max_sections)

    def answer_writer(self) -> AnswerWriter | None:
        if "write_answer" not in self.named:
            return None
        return PromptedAnswers(self.models[self.named["write_answer"]], self.prompts)
