"""Predicts the work of a text of the embedded models; `rarr.batches.cost_model` predicts that of a batch."""

import math

from rarr.batches import cost_model
from rarr.batches.cost_model import Parts
from rarr.records import Record
from rarr.retrievers.corpus.corpus import KEPT_SEARCHES


class ScaleParts(Parts):
    """All measured parts. Seconds are of one core.

    `text_s`, `sentence_s`, `reading_s` and `wrong_s` are those of the embedded models: of a text, a sentence,
    a sentence read beside a passage, and a sentence with an error that they find. `search_s` is a search of
    10,000 passages, which grows with their number to the power `search_growth`. Of its searches, a text makes
    the share `own_searches` twice itself, and another text about its topic makes the share `shared_searches`
    too. The store takes `store_kb`, and `row_kb` for a row; a passage takes `passage_kb` of an index.
    """

    text_s: float
    sentence_s: float
    reading_s: float
    wrong_s: float
    search_s: float
    search_growth: float
    own_searches: float
    shared_searches: float
    store_kb: float
    row_kb: float
    passage_kb: float


class TextShape(Record):
    """A text of the embedded models, or the mean of many.

    `wrong` sentences have an error. Each of the `questions` is searched, and has `kept` passages.
    """

    sentences: float
    wrong: float
    questions: float
    kept: float

    @property
    def readings(self) -> float:
        """The sentences read beside passages: those of their own questions and of both neighbours."""
        of_a_sentence = self.kept * self.questions / self.sentences
        return of_a_sentence * max(1.0, 3 * self.sentences - 2)


def embedded_cpu_s(parts: ScaleParts, text: TextShape, passages: float, saved: float = 0.0) -> float:
    """Returns the seconds of a core for a text of the embedded models.

    The corpus has `passages`, and the share `saved` of the searches was made before.
    """
    judged = parts.sentence_s * text.sentences + parts.reading_s * text.readings + parts.wrong_s * text.wrong
    return parts.text_s + judged + text.questions * (1 - saved) * search_s(parts, passages)


def search_s(parts: ScaleParts, passages: float) -> float:
    """Returns the seconds of a core for a search of an index of `passages`."""
    return parts.search_s * math.pow(passages / 10_000, parts.search_growth)


def saved_share(parts: ScaleParts, texts: float, topics: float, searches: float, workers: int) -> float:
    """Returns the share of searches that are not made again, for texts about random ones of `topics`.

    A text makes `searches` searches. Each worker keeps its own latest `KEPT_SEARCHES`: with more topics than
    these have room for, a search is still kept with the chance that its topic is among them.
    """
    each = texts / max(1, workers)
    first = topics * (1 - math.pow(1 - 1 / topics, each))
    room = KEPT_SEARCHES / (topics * searches)
    return parts.own_searches + parts.shared_searches * (1 - first / each) * min(1.0, room)


MEASURED = ScaleParts(
    **cost_model.MEASURED.model_dump(),
    text_s=0.00698,
    sentence_s=0.0216,
    reading_s=0.0117,
    wrong_s=0.0191,
    search_s=0.000999,
    search_growth=0.38,
    own_searches=0.312,
    shared_searches=0.418,
    store_kb=10.8,
    row_kb=0.745,
    passage_kb=0.324,
)
"""What `python -m benchmarks.scale` printed on 2026-11-26, on a shared machine with two cores (x86-64)."""
