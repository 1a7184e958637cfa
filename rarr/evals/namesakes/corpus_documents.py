"""Reads the documents of a corpus, with the names that entities give them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rarr.errors import InputError
from rarr.evals.namesakes.records import CorpusDocument
from rarr.retrievers.corpus.file_listing import scan
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract


def corpus_documents(path: Path, max_file_mb: int) -> list[CorpusDocument]:
    """Reads all documents of a folder or file. Files that cannot be read are left out, as in a search.

    Raises `InputError` if no document can be read.
    """
    problems: list[str] = []
    documents = [*_documents(path.expanduser(), max_file_mb * MEGABYTE, problems)]
    if not documents:
        why = f"corpus {str(path)!r} holds no document that can be read ({problems[0]})"
        raise InputError(f"{why}: give documents with text")
    return documents


def _documents(path: Path, max_bytes: int, problems: list[str]) -> Iterator[CorpusDocument]:
    for file in scan(path, max_bytes).files:
        name, found = file.name or path.name, list[str]()
        try:
            for document in extract(file.path, max_bytes, found.append):
                item = f"#{document.item}" if document.item else ""
                yield CorpusDocument(document.source or f"{file.name}{item}", document.title, document.text)
        except UnreadableError as error:  # `rarr doctor` reports it
            found.append(str(error))
        problems.extend(f"{name}: {problem}" for problem in found)


def document_of(source: str, names: Sequence[str]) -> str:
    """Finds the document that a passage with the address `source` is from; `source` itself if it is another.

    The address of a passage starts with the path of its corpus, which `names` do not have. The longest name
    counts, since a folder may hold a file of the same name.
    """
    return max((name for name in names if _is_of(source, name)), key=len, default=source)


def _is_of(source: str, name: str) -> bool:
    end = name if name.startswith("#") else f"/{name}"
    return source == name or source.endswith(end)
