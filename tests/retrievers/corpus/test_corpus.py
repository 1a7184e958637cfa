import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from rarr.errors import RetrievalError
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT, Corpus
from rarr.retrievers.corpus.passage_index import PASSAGES
from retrievers.makers import built

Open = Callable[[Path], Corpus]


def write_lines(path: Path, *records: dict[str, str]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)))
    return path


async def test_k_counts_documents(tmp_path: Path, opened: Open) -> None:
    records = [
        {"text": f"Pears in town {n}. They are green. They are sweet. So it is. Pears."} for n in range(9)
    ]
    corpus = opened(write_lines(tmp_path / "a.jsonl", *records))
    assert len({passage.source for passage in await corpus.retrieve("pears", 3)}) == 3
    assert len({passage.source for passage in await corpus.retrieve("pears", 50)}) == 9
    assert await corpus.retrieve("pears", 0) == []


async def test_one_long_document_does_not_crowd_out_the_others(tmp_path: Path, opened: Open) -> None:
    records = [{"text": "Pears pears pears. " * 10_500}, {"text": "A word on pears, among many others here."}]
    passages = await opened(write_lines(tmp_path / "a.jsonl", *records)).retrieve("pears", 2)
    assert [passage.source[-2:] for passage in passages] == ["#1"] * PASSAGES_PER_DOCUMENT + ["#2"]


async def test_index_is_searched_without_its_corpus(folder: Path, tmp_path: Path, opened: Open) -> None:
    built(folder, tmp_path / "index")
    shutil.rmtree(folder)
    [passage] = await opened(tmp_path / "index").retrieve("France", 5)
    assert passage.source == f"{folder.as_posix()}/more/paris.txt"


@pytest.mark.slow
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example('text:"a b"~3 AND (NOT [x TO *]) ^2 \\')
@example("\ud800\0")
@given(query=st.text(st.characters(), max_size=40) | st.text('"()[]{}:^~*?\\/+-!&| ANDORT', max_size=40))
async def test_queries_are_not_parsed_as_a_query_language(folder: Path, opened: Open, query: str) -> None:
    passages = await opened(folder).retrieve(f"{query} france", 5)
    assert "Paris is the capital of France." in [passage.text for passage in passages]


async def test_text_of_a_file_can_be_shown_with_its_offsets(folder: Path, opened: Open) -> None:
    (folder / "facts.jsonl").write_text('{"text": "Lyon is large."}\n{"text": "Nice is warm."}\n')
    corpus = opened(folder)
    for query in ("monks China", "Nice"):
        [passage, *_] = await corpus.retrieve(query, 1)
        text = await corpus.extracted(passage.source)
        assert text is not None
        assert text[passage.start : passage.end] == passage.text


@pytest.mark.parametrize("source", ["https://a.org", "notes/paris.txt", "/etc/passwd", "", "#1"])
async def test_text_of_a_file_elsewhere_is_not_shown(folder: Path, opened: Open, source: str) -> None:
    assert await opened(folder).extracted(source) is None
    assert await opened(folder).extracted(f"{folder}/{source}") is None


async def test_a_search_that_fails_is_a_retrieval_error(folder: Path, opened: Open) -> None:
    corpus = opened(folder)
    (corpus._reader.folder / PASSAGES / "meta.json").unlink()
    with pytest.raises(
        RetrievalError,
        match=r"cannot be searched \(.*FileDoesNotExist.*\): delete the index '.*' and build",
    ):
        await corpus.retrieve("France", 5)
