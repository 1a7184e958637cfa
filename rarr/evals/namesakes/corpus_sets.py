"""Makes sets of the names that several documents of a corpus share."""

from collections.abc import Sequence
from pathlib import Path

from rarr.evals.namesakes.corpus_documents import corpus_documents
from rarr.evals.namesakes.corpus_entities import corpus_entities, other_entities
from rarr.evals.namesakes.records import TASKS, NameSet, Task
from rarr.evals.namesakes.set_generation import name_sets
from rarr.settings import Settings


def corpus_sets(
    path: Path, settings: Settings, *, tasks: Sequence[Task] = TASKS, seed: int = 0
) -> list[NameSet]:
    """Makes sets of the names that documents of the corpus share. Raises `InputError` if nothing is read."""
    documents = corpus_documents(path, settings.max_file_mb)
    texts = {document.name: document.text for document in documents}
    others = other_entities(documents)
    return name_sets(corpus_entities(documents), texts, others=others, tasks=tasks, seed=seed)
