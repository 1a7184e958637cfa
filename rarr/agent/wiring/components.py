"""Makes the components that the settings name. A component is the object that does the work of a node."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from rarr.agent.wiring.models import LanguageModels
from rarr.agent.wiring.sources import Resources, make_reranker, make_retriever, sources_to_search
from rarr.backends.embedded.near_quote_reader import NearQuoteReader, NearQuoteVerifier
from rarr.backends.prompted import paper
from rarr.backends.prompted.cards import READING_PROMPT, PromptedCardReader
from rarr.backends.prompted.judging import NLI, PromptedVerifier, is_language_model, parse_judge
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
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.language_model import AnswerStore, LanguageModel

Made = TypeVar("Made")

MAIN_MODEL_NODES = ("generate_queries", "check_agreement", "edit", *WRITING_NODES, "write_answer")
"""The nodes that use the setting `model`. The node attribute uses cards, unless `models` names a judge."""
MODEL_NODES = (*MAIN_MODEL_NODES[:3], "doubt", "attribute", *MAIN_MODEL_NODES[3:])
"""All names that the setting `models` accepts: the nodes that may ask a model, and doubt."""
PAPER_SAMPLES = 3  # lists of questions that the paper samples and merges (Gao et al. 2023, section 3.2)


def wire(
    settings: Settings,
    on_index: Callable[[int, int], None] | None = None,
    *,
    prompts: Mapping[str, Prompt] | None = None,
    baseline: Baseline = NO_BASELINE,
    measuring: bool = False,
    writing_nodes: Sequence[str] = (),
) -> Components:
    """Makes the components that `settings` name. Raises `RarrError` if a component cannot be made.

    `writing_nodes` are the nodes that write an article or an answer; each needs a language model. `prompts`
    (by name) replace the prompts of the settings. `baseline` is a simpler pipeline for an evaluation. With
    `measuring`, results of readers and answers of models are not stored, nor read from the store.
    """
    with Resources(settings) as opened:
        chosen = {"attribute": "embedded"} | dict.fromkeys(MAIN_MODEL_NODES, settings.model) | settings.models
        store = opened.answer_store if settings.trace and not measuring else None
        parts = ComponentMaker(settings, chosen, prompts, baseline, store)
        for node in writing_nodes:  # first, because it is fast and may fail
            parts.require_model(node, "an answer" if node == "write_answer" else "an article")
        writer = partial(parts.make_prompted, component=PromptedArticleWriter, max_sections=MAX_SECTIONS)
        checker = parts.make_prompted("check_agreement", paper.PromptedChecker)
        return Components(
            settings=settings,
            query_generator=parts.query_generator(),
            checker=checker if baseline.agreement else paper.NoChecker(),
            editor=parts.make_prompted("edit", paper.PromptedEditor),
            card_reader=parts.card_reader(),
            doubting_reader=parts.prompted_reader("doubt") if parts.reads_cards else None,
            record=None if measuring else parts.reader_record(),
            verifier=parts.verifier(),
            rewriter=parts.rewriter(),
            writers={node: made for node in WRITING_NODES if (made := writer(node))},
            answer_writer=parts.make_prompted("write_answer", PromptedAnswerWriter),
            models=parts.models.all,
            reranker=make_reranker(settings, opened),  # before the retriever, which may index a corpus
            retriever=(searched := make_retriever(settings, opened, on_index)),
            given=getattr(source := getattr(searched, "source", None), "passages_if_all_fit", ()),
            searches=not isinstance(source, GivenPassages),
            opened=tuple(opened),  # last, because the reranker and the retriever open resources
            baseline=baseline,
        )


class ComponentMaker:
    """Makes the components of the nodes. `chosen` maps each node to its model, or to "embedded"."""

    def __init__(
        self,
        settings: Settings,
        chosen: Mapping[str, Any],
        prompts: Mapping[str, Prompt] | None = None,
        baseline: Baseline = NO_BASELINE,
        answer_store: Callable[[], AnswerStore | None] | None = None,
    ) -> None:
        """`answer_store` makes the store for answers of readers. If it is None, no answer is stored.

        Raises `SettingsError` for an unknown node in the setting `models`, and for an unusable model.
        """
        if unknown := [node for node in settings.models if node not in MODEL_NODES]:
            known = ", ".join(MODEL_NODES)
            raise SettingsError(f"models names an unknown node {unknown[0]!r}: the nodes are {known}")
        self.settings, self.baseline, self.answer_store = settings, baseline, answer_store
        self.judge = chosen.get("attribute", "embedded")
        self.judge_prompt, asked = parse_judge(self.judge, settings.model)
        model_names = {**chosen, "attribute": asked if is_language_model(asked) else "embedded"}
        self.model_names = {node: name for node, name in model_names.items() if name not in EMBEDDED}
        self.models = LanguageModels(settings, self.model_names.values())
        self.prompts = Prompts(settings.prompts, prompts)
        self.reads_cards = settings.scope == "sentence" and baseline.checks_sentences
        """True if a reader makes a card (a judgement) of each sentence. False in the preset `paper`."""
        asks = {"check_agreement": baseline.checks_sentences, "edit": baseline.editor == "minimal"}
        way = "preset 'paper'" if baseline.agreement else "an edit without agreement"
        for node in (node for node, is_asked in asks.items() if is_asked and not self.reads_cards):
            self.require_model(node, way)

    def model_of_node(self, node: str) -> LanguageModel | None:
        """Returns the language model of `node`; None if the node has no language model."""
        return self.models[self.model_names[node]] if node in self.model_names else None

    def require_model(self, node: str, way: str) -> None:
        """Raises `SettingsError` if `node` has no language model. `way`: the feature that needs the model."""
        if node not in self.model_names:
            raise SettingsError(f"{way} needs a language model for {node}: name it with model (--model)")

    def make_prompted(self, node: str, component: Callable[..., Made], **more: Any) -> Made | None:
        """Makes a `component` with the language model of `node`. Returns None if the node has no model."""
        model = self.model_of_node(node)
        return component(model, self.prompts, **more) if model else None

    def prompted_reader(self, node: str) -> PromptedCardReader | None:
        """Makes a card reader with the language model of `node`. Returns None if the node has no model."""
        store = self.answer_store() if self.answer_store and node in self.model_names else None
        return self.make_prompted(node, PromptedCardReader, store=store)

    def card_reader(self) -> CardReader | None:
        """Makes the reader that judges each sentence (a card). Returns None in the preset `paper`."""
        if not self.reads_cards:
            return None
        if (reader := self.prompted_reader("check_agreement")) or not self.settings.weights:
            return reader or NearQuoteReader()
        from rarr.backends.encoder.model_files import require_packages

        require_packages()
        from rarr.backends.encoder.editor import TrainedReader  # these import numpy
        from rarr.backends.encoder.model import Encoder

        return TrainedReader(Encoder(self.settings.weights))

    def reader_record(self) -> ReaderRecord | None:
        """Opens the results of the reader in earlier runs. Returns None for a reader without a model name."""
        name = self.model_names.get("check_agreement")
        if not self.reads_cards or not isinstance(name, str):
            return None
        server = self.models[name].models[0].server
        return ReaderRecord(self.settings.home, (name, server, self.prompts[READING_PROMPT].hash))

    def query_generator(self) -> QueryGenerator:
        """Makes the query generator: usually sentences for local files or without a model, else questions."""
        unit, model = self.settings.queries, self.model_of_node("generate_queries")
        if unit == "questions":
            self.require_model("generate_queries", "queries='questions'")
        if model is None or (unit in ("sentences", "text") and not self.reads_cards):
            return QueriesByUnit(None, "text" if unit == "text" else "sentences")
        if self.baseline.editor == "lamda":
            return paper.LamdaQueries(model, self.prompts)
        if not self.reads_cards:
            samples = PAPER_SAMPLES if self.settings.scope == "text" else 1
            return PromptedQuestions(model, self.prompts, samples=samples)
        names, at_hand = sources_to_search(self.settings), ("corpus", "graph")
        is_near = all(it in at_hand if isinstance(it, str) else getattr(it, "offline", False) for it in names)
        chosen = unit if unit != "auto" else "sentences" if is_near else "questions"
        return QueriesByUnit(PromptedQuestions(model, self.prompts), chosen)

    def rewriter(self) -> Rewriter | None:
        """Makes the rewriter of a baseline. Returns None if the baseline does not rewrite the text."""
        editor = self.baseline.editor
        if prompt := {"efec": "correct_text", "lamda": "rewrite_text"}.get(editor):
            self.require_model("edit", f"editor {editor!r}")
            return self.make_prompted("edit", paper.PromptedRewriter, prompt=prompt)
        if editor.startswith(PURR):
            from rarr.backends.fusion import FusionEditor  # it imports torch

            return FusionEditor(editor.removeprefix(PURR))
        return paper.NoRewriter() if editor == "none" else None

    def verifier(self) -> Verifier:
        """Makes the judge that scores how well evidence supports a sentence."""
        if judge := self.make_prompted("attribute", PromptedVerifier, prompt=self.judge_prompt):
            return judge
        if self.judge in EMBEDDED:
            return NearQuoteVerifier()
        from rarr.backends.nli.verifier import NliVerifier  # it imports torch

        return NliVerifier(self.judge.removeprefix(NLI), self.settings.support_threshold)
