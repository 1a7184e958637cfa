"""Revises texts of language models so that evidence supports them. Imports a public name at its first use."""

TYPE_CHECKING = False  # type checkers assume True; importing `typing` takes longer than all of this module

# fmt: off
# isort: off
if TYPE_CHECKING:
    from rarr.agent.answer import Answerer, aanswer, answer
    from rarr.agent.replaying import replay
    from rarr.agent.revise import Reviser, acite, apostprocess, arevise, cite, postprocess, revise
    from rarr.agent.verify import ClaimVerifier, averify, verify
    from rarr.agent.write import Writer, awrite, write
    from rarr.errors import (
        BudgetError, InputError, ModelError, PromptTooLong, RarrError, RetrievalError, SettingsError,
        SetupError,
    )
    from rarr.records import (
        Agreement, Change, Check, Edit, Evidence, ModelUsage, NodeUsage, Notice, Part, Passage,
        Query, Question, Quote, Report, Revision, Scores, Sentence, Usage, Verification,
    )
    from rarr.records.citations import (
        Answer, AnswerSource, Article, ArticleSection, Citation, CitationCheck, CitationScores, Cited,
        CitedSource, CitedTriple, Mark, Statement, WrittenCitation, WrittenSentence,
    )
    from rarr.records.postprocessing import AnswerCitation, DoubtMark, Postprocessed
    from rarr.retrievers.graph.graph import Graph
    from rarr.settings import Settings
    from rarr.traces.trace_reader import Trace

__all__ = [
    "Agreement", "Answer", "AnswerCitation", "AnswerSource", "Answerer", "Article", "ArticleSection",
    "BudgetError", "Change", "Check", "Citation", "CitationCheck", "CitationScores", "Cited", "CitedSource",
    "CitedTriple", "ClaimVerifier", "DoubtMark", "Edit", "Evidence", "Graph", "InputError",
    "Mark", "ModelError", "ModelUsage", "NodeUsage", "Notice", "Part", "Passage", "Postprocessed",
    "PromptTooLong", "Query", "Question", "Quote", "RarrError", "Report", "RetrievalError", "Reviser",
    "Revision", "Scores", "Sentence", "Settings", "SettingsError", "SetupError", "Statement", "Trace",
    "Usage", "Verification", "Writer", "WrittenCitation", "WrittenSentence", "aanswer", "acite", "answer",
    "apostprocess", "arevise", "averify", "awrite", "cite", "postprocess", "replay", "revise", "verify",
    "write",
]
_PLACES = [
    "errors", "records", "records.citations", "records.postprocessing", "settings", "retrievers.graph.graph",
    "agent.revise", "agent.answer", "agent.verify", "agent.write", "traces.trace_reader", "agent.replaying",
]
# isort: on
# fmt: on
"""The modules in which a public name is looked up, in this order. The last modules import slowly."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for place in _PLACES if name in __all__ else ():
            module = import_module(f"rarr.{place}")
            if hasattr(module, name):
                globals()[name] = member = getattr(module, name)
                return member
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
