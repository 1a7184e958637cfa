"""Finds by the encoder the triples that answer words which name no relation, such as "how heavy"."""

from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource
from rarr.components import Reranker
from rarr.records import Passage
from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.triples import Triple, relation_words, value_forms

_RELEVANT = 0.35
"""The relevance from which a triple answers a question, both without the names of entities.

Chosen on 39 made-up questions over two entities: from 0.29 on, the best triple was the right one, and the
best of the 21 without an answer had 0.28. On 16 others over a museum, 3 of 8 got the right answer, 5 none,
and none of the 8 without an answer got one; the best of these had 0.31.
"""


async def relevant_triples(
    question: str, triples: Sequence[GivenSource], reranker: Reranker
) -> list[GivenSource]:
    """Returns the triples of the most relevant relation; none if none is relevant enough.

    The question has "it" for the names of entities: a name in it and in the triples would make each of them
    relevant.
    """
    groups = dict[tuple[str, str], list[GivenSource]]()
    for source in triples:
        if source.triple is not None:
            groups.setdefault((source.triple.subject_id, source.triple.relation), []).append(source)
    if not groups:
        return []
    passages = [_nameless(relation, sources) for (_, relation), sources in groups.items()]
    scores = await reranker.score(question, passages)
    best = max(scores)
    scored = zip(groups.values(), scores, strict=True)
    return [source for group, score in scored if score == best >= _RELEVANT for source in group]


def is_other_noun(words: str, triple: Triple) -> bool:
    """Is the relation another than the words name: the chief executive officer for the financial one?"""
    asked, told = (
        {stem for word in text.split() if word not in STOP_WORDS for stem in stems(word)}
        for text in (words.lower(), relation_words(triple.relation))
    )
    return bool(asked & told and asked - told and told - asked)


def _nameless(relation: str, sources: Sequence[GivenSource]) -> Passage:
    """Writes a relation and its values without the name of their subject, as a passage."""
    values = (value_forms(source.triple.object)[0] for source in sources if source.triple is not None)
    text = f"The {relation_words(relation)} is {', '.join(values)}."
    return sources[0].passage.model_copy(update={"text": text, "title": ""})
