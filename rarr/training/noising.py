"""Makes training data as PURR does (Chen et al. 2023): a model writes a text, and then puts errors into it.

The passages from which the model writes the text are E+. E- are passages that are less relevant.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rarr.agent.runs import budget_of, usage_of
from rarr.agent.wiring.components import ComponentMaker
from rarr.agent.wiring.sources import Resources, make_reranker, make_retriever
from rarr.backends.prompted.noising import ERROR_KINDS, PlantedError, PromptedNoiser
from rarr.errors import InputError, SettingsError
from rarr.evals import run_folder
from rarr.evals.run_folder import FinishedLine, Worker
from rarr.nodes.rerank import is_same_place
from rarr.records import Evidence, Passage, Record, Usage
from rarr.retrievers.corpus.corpus import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import together, work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import METER, Meter, meter
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.tools.text.wording import lines_by_reason
from rarr.training.rows import Mistake, NoisedLine, Reason, SentenceScore, TrainingRow, with_errors
from rarr.valid_unicode import valid

LEAST_RELEVANCE = 0.6  # of a passage in E+; the default reranker gives 0.6 if most words of the query occur
MOST_RELEVANT = 4  # the most passages of E+ (Chen et al. 2023, section 3)
MOST_OTHERS = 8  # the most passages of E-
KINDS_AT_ONCE = 3  # the kinds of errors that one request asks for
_WRITING = "noise"  # the name of the writing model; the other models have names of nodes


def read_queries(path: Path) -> list[FinishedLine]:
    """Reads a query from each line of a file. Drops repeated queries. The `id` of a result is the query.

    Raises `InputError` if the file is not UTF-8, or has no query.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({error}): give a file of queries in UTF-8") from None
    queries = dict.fromkeys(" ".join(line.split()) for line in valid(text).splitlines() if line.strip())
    if not queries:
        raise InputError(f"{path} has no query: give a query in each line")
    return [FinishedLine(id=query) for query in queries]


def split_by_relevance(passages: Sequence[Passage], scores: Sequence[float]) -> list[tuple[Evidence, ...]]:
    """Returns two tuples: at most 4 relevant passages (E+), and at most 8 others (E-). Best passages first.

    If passages overlap, returns only the most relevant of them. Leaves out passages that seem to give orders
    to a model. A relevant passage is never in E-, because the passage might support the text.
    """
    pairs = zip(scores, passages, strict=True)
    kept: list[tuple[float, Passage]] = []
    for score, passage in sorted(pairs, key=lambda it: (-it[0], it[1].source, it[1].start, it[1].text)):
        doubled = any(is_same_place(passage, other) for _, other in kept)
        if not doubled and not suspicion(f"{passage.title}\n{passage.text}"):
            kept.append((score, passage))
    relevant = [pair for pair in kept if pair[0] >= LEAST_RELEVANCE][:MOST_RELEVANT]
    others = [pair for pair in kept if pair[0] < LEAST_RELEVANCE][:MOST_OTHERS]
    evidence = tuple(
        Evidence(**passage.model_dump(), id=f"e{number}", query_id="query", relevance=score)
        for number, (score, passage) in enumerate([*relevant, *others], start=1)
    )
    return [evidence[: len(relevant)], evidence[len(relevant) :]]


def placeable_errors(text: str, spans: Sequence[Span], errors: Sequence[PlantedError]) -> tuple[Mistake, ...]:
    """Returns the `errors` that can be put into `text`, sorted by position.

    An error replaces words of the text. The text must have these words once, as whole words, inside one of
    `spans` (sentences). If two errors overlap, leaves out the error that comes later in `errors`.
    """
    kept: list[Mistake] = []
    for error in errors:
        right, wrong = error.right.strip(), " ".join(error.wrong.split())
        if not right or not wrong or right.casefold() == wrong.casefold():
            continue
        places = [found.span() for found in re.finditer(_whole_word_pattern(right), text)]
        taken = [Span(it.start, it.start + len(it.right)) for it in kept]
        for start, end in places if len(places) == 1 else []:
            within = any(span.start <= start and end <= span.end for span in spans)
            if within and not any(span.overlaps(Span(start, end)) for span in taken):
                kept.append(Mistake(start=start, right=right, wrong=wrong, kind=error.kind))
    return tuple(sorted(kept, key=lambda mistake: mistake.start))


def _whole_word_pattern(words: str) -> str:
    """Returns a pattern that finds `words` as whole words. For "3", it finds nothing in "1937" or "3.5"."""
    before = r"(?<!\w)" if words[0].isalnum() else ""
    after = r"(?!\w)" if words[-1].isalnum() else ""
    return before + re.escape(words) + after + (r"(?![.,]\d)" if words[-1].isdigit() else "")


def shift_place(place: int, edits: Sequence[Mistake]) -> int:
    """Converts `place`, a position in the right text, to the position in the text with the errors `edits`."""
    return place + sum(len(edit.wrong) - len(edit.right) for edit in edits if edit.start < place)


class Noiser:
    """Makes training rows from queries. The settings name models and sources. All rows share one budget.

    Raises `RarrError`, before any cost, if a component cannot be made.
    """

    def __init__(self, settings: Settings, on_index: Progress | None = None) -> None:
        self._settings, self.spent = settings, Meter(budget_of(settings))
        with Resources(settings) as opened:
            judging = {node: name for node, name in settings.models.items() if node == "attribute"}
            parts = ComponentMaker(settings, {_WRITING: settings.model} | judging)
            if _WRITING not in parts.model_names:
                raise SettingsError(
                    f"{settings.model!r} cannot write summaries:"
                    " set model to a language model, such as vllm:NAME"
                )
            self._writer = PromptedNoiser(parts.models[settings.model], parts.prompts)
            self._verifier = parts.verifier()
            self._verified_by = str(judging.get("attribute", "embedded"))
            self._reranker = make_reranker(settings, opened)
            self._retriever = make_retriever(settings, opened, on_index)  # last, as indexing may take long
            self.opened = (*parts.models.all, *opened)
        self.warnings = lines_by_reason(getattr(self._retriever, "skipped", ()))  # skipped corpus files

    async def make_line(self, query: FinishedLine) -> NoisedLine:
        """Makes the training row of a query. If no row can be made, the line has the reason.

        The verifier must judge each sentence. An error must lower the support of its sentence. Raises
        `RarrError` if a step fails or if the budget is spent. Then the next run repeats the query.
        """
        METER.set(self.spent)
        relevant, others = await self._search_and_split(query.id)
        without = partial(NoisedLine, id=query.id)
        if not relevant:
            return without(reason="no_evidence")
        with meter().step("summarize"):
            summary = await self._writer.summarize(query.id, relevant)
        if not summary:
            return without(reason="no_summary")
        spans = list(await work(sentences, summary))
        before = await self._judge_support(summary, query.id, spans, relevant)
        if not before:
            return without(reason="unjudged", summary=summary)
        if min(support for support, _ in before) < self._settings.support_threshold:
            return without(reason="unattributable", summary=summary)
        # Code draws the kinds of errors, because a model would choose mostly dates and numbers.
        kinds = random.Random(query.id).sample(ERROR_KINDS, KINDS_AT_ONCE)
        with meter().step("corrupt"):
            errors = await self._writer.corrupt(summary, kinds)
        if not (edits := placeable_errors(summary, spans, errors)):
            return without(reason="no_error", summary=summary)
        changed = with_errors(summary, edits)
        places = [Span(*(shift_place(place, edits) for place in span)) for span in spans]
        after = await self._judge_support(changed, query.id, places, relevant)
        if not after:
            return without(reason="unjudged", summary=summary, corrupted=changed)
        scores = tuple(
            SentenceScore(start=span.start, end=span.end, evidence_id=name, support=right, corrupted=wrong)
            for span, (right, name), (wrong, _) in zip(spans, before, after, strict=True)
        )
        for it in scores:
            if it.corrupted >= it.support and any(it.start <= edit.start < it.end for edit in edits):
                return without(reason="undetected", summary=summary, corrupted=changed)
        row = TrainingRow(
            query=query.id,
            summary=summary,
            corrupted=changed,
            edits=edits,
            relevant=relevant,
            others=others,
            scores=scores,
            model=self._writer.name,
            verifier=self._verified_by,
            prompts=self._writer.prompt_hashes,
        )
        return NoisedLine(id=query.id, row=row)

    async def _search_and_split(self, query: str) -> list[tuple[Evidence, ...]]:
        with meter().step("retrieve"):
            async with meter().in_time():
                passages = await self._retriever.retrieve(query, self._settings.documents_per_query)
        with meter().step("rerank"):
            async with meter().in_time():
                scores = await self._reranker.score(query, passages) if passages else []
        return split_by_relevance(passages, scores)

    async def _judge_support(
        self, text: str, query: str, spans: Sequence[Span], evidence: Sequence[Evidence]
    ) -> list[tuple[float, str]]:
        """Returns (best support, id of its passage) for each sentence; [] if a sentence is not judged."""
        with meter().step("attribute"):
            judging = (self._verifier.support(text, query, spans, passage) for passage in evidence)
            supports = await together(*judging)
        names = [passage.id for passage in evidence]
        pairs = [zip(scores, names, strict=True) for scores in zip(*supports, strict=True)]
        judged = [[(score, name) for score, name in of_span if score is not None] for of_span in pairs]
        return [max(found, key=lambda it: it[0]) for found in judged] if all(judged) else []


class NoisingReport(Record):
    """The report of a run that makes training rows."""

    rows: int  # the number of training rows
    dropped: dict[Reason, int]  # the number of queries without a row, by reason
    failed: tuple[str, ...] = ()  # the queries that failed, with their errors
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


def make_training_data(
    queries: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    jobs: int = 4,
    on_query: Progress | None = None,
    on_index: Progress | None = None,
) -> NoisingReport:
    """Makes a training row of each query in the file `queries`. Writes the rows into the folder `out`.

    Works on `jobs` queries at a time. The next call repeats only failed queries; its settings may differ.
    `on_query` gets two numbers: of finished queries, and of all queries. `on_index` gets the same two numbers
    of files in a corpus. Raises `RarrError`, before any cost, if there is no query, if a model is missing, or
    if `out` is in use or has another run.
    """
    every, path = read_queries(Path(queries)), Path(out)
    inputs = run_folder.run_inputs("rarr train data", every, {})
    with run_folder.lock_run_folder(path, inputs):
        noiser = Noiser(settings or Settings(), on_index)
        run_folder.write_inputs(path, inputs)
        worker = Worker(noiser.make_line, noiser.opened)
        lines: list[NoisedLine] = run_folder.run_rows(
            every, path, NoisedLine, worker, chosen=every, jobs=jobs, on_row=on_query
        )
    spent = noiser.spent
    report = NoisingReport(
        rows=sum(line.row is not None for line in lines),
        dropped=dict(Counter(line.reason for line in lines if line.reason)),
        failed=tuple(f"{line.id!r} failed: {line.error}" for line in lines if line.error),
        warnings=(*noiser.warnings, *(notice.message for notice in spent.warnings)),
        usage=usage_of(spent),
    )
    run_folder.write_report(path, report)
    return report
