"""A corpus finds passages of `k` documents; texts are cut into windows, and queries into words."""

import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from rarr.errors import RetrievalError
from rarr.retrievers.corpus.chunking import LONGEST, windows
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.corpus.index_words import query_stems
from rarr.retrievers.corpus.passage_index import PASSAGES
from rarr.retrievers.extract import documents, files as extraction
from rarr.tools.text.blocks_and_sentences import split_sentences
from retrievers.makers import Open, build_corpus_index

PEARS = "They are green. They are sweet. So it is. Pears."


def write_lines(path: Path, *records: dict[str, str]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)))
    return path


async def test_k_counts_documents(tmp_path: Path, opened: Open) -> None:
    records = ({"text": f"Pears in town {n}. {PEARS}"} for n in range(9))
    corpus = opened(write_lines(tmp_path / "a.jsonl", *records))
    for k in (0, 3, 50):
        assert len({passage.source for passage in await corpus.retrieve("pears", k)}) == min(k, 9)


async def test_one_long_document_does_not_crowd_out_the_others(tmp_path: Path, opened: Open) -> None:
    records = [{"text": "Pears pears pears. " * 10_500}, {"text": "A word on pears, among many others here."}]
    passages = await opened(write_lines(tmp_path / "a.jsonl", *records)).retrieve("pears", 2)
    assert [passage.source[-2:] for passage in passages] == ["#1"] * PASSAGES_PER_DOCUMENT + ["#2"]


async def test_index_is_searched_without_its_corpus(folder: Path, tmp_path: Path, opened: Open) -> None:
    build_corpus_index(folder, tmp_path / "index")
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


async def test_passages_are_found_by_title_and_heading_and_shown_in_their_text(
    folder: Path, opened: Open
) -> None:
    record = {"text": "Pears. Café au lait.", "title": "Breakfast", "url": "https://x.org"}
    write_lines(folder / "facts.jsonl", record | {"date": "2020-03-04"}, {"text": "Nice is warm."})
    corpus = opened(folder)
    for query in ("breakfast", "cafe"):
        [found] = await corpus.retrieve(query, 5)
        assert (found.text, found.source, found.start, found.end) == (record["text"], "https://x.org", 0, 20)
        assert (found.title, found.published_at) == ("Breakfast", datetime(2020, 3, 4, tzinfo=UTC))
    for query in ("history", "Nice"):
        [found, *_] = await corpus.retrieve(query, 5)
        text = await corpus.extracted(found.source) or ""
        assert text[found.start : found.end] == found.text
        assert found.text.startswith(("The tree came from China.", "Nice"))


@pytest.mark.parametrize("source", ["https://a.org", "notes/paris.txt", "/etc/passwd", "", "#1"])
async def test_text_of_a_file_elsewhere_is_not_shown(folder: Path, opened: Open, source: str) -> None:
    assert await opened(folder).extracted(source) is None
    assert await opened(folder).extracted(f"{folder}/{source}") is None


async def test_a_search_that_fails_is_a_retrieval_error(folder: Path, opened: Open) -> None:
    corpus = opened(folder)
    (corpus.folder / PASSAGES / "meta.json").unlink()
    message = r"cannot be searched \(.*FileDoesNotExist.*\): delete the index '.*' and build it"
    with pytest.raises(RetrievalError, match=message):
        await corpus.retrieve("France", 5)


async def test_long_text_comes_in_parts_with_their_places(
    folder: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "_LONG_FILE", 1000)
    monkeypatch.setattr(extraction, "_PART_CHARACTERS", 300)
    monkeypatch.setattr(documents, "_PIECE_BYTES", 64)
    text = "".join(f"# Lake {n}\n\nThe lake Ü{n} is {n} metres deep. It is cold.\n\n" for n in range(99))
    (folder / "lakes.md").write_text(text, encoding="utf-8")
    corpus = opened(folder)
    passages = await corpus.retrieve("lake metres deep cold", 1)
    assert len(passages) == 8
    assert await corpus.extracted(passages[0].source) == text
    assert all(text[each.start : each.end] == each.text for each in passages)
    assert all(text[start : start + len(words)] == words for each in passages for start, words in each.lead)


def test_headings_break_windows_and_name_them() -> None:
    text = "Zero.\n\n# One\n\nFirst here. Second here.\n\nThree\n---\n\nThird here."
    named = [(text[window.start : window.end], window.heading) for window in windows(text, 4)]
    assert named == [("Zero.", ""), ("First here. Second here.", "One"), ("Third here.", "Three")]


def test_rows_and_items_have_the_line_above_them() -> None:
    assert windows("| A | B |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |", 1)[-1].lead == ((0, "| A | B |"),)
    assert windows("Leave if:\n\n- you are ill\n- you are old", 1)[-1].lead == ((0, "Leave if:"),)


@given(
    st.text(st.sampled_from("ab.  \n#-|>*A1`\r\tש"), max_size=200) | st.text(max_size=200), st.integers(1, 6)
)
def test_windows_cover_every_sentence_and_have_different_ends(text: str, window: int) -> None:
    spans = windows(text, window)
    covered = {position for span in spans for position in range(span.start, span.end)}
    assert covered >= {position for span in split_sentences(text) for position in range(*span)}
    ends = [span.end for span in spans]
    assert ends == sorted(set(ends))


ENDLESS = "word " * 40_000
HOSTILE = ["a" * 200_000, "\n" * 200_000, "- " * 5_000, "#\n" * 10_000, "-\n" * 10_000, ENDLESS]


@pytest.mark.parametrize("text", [*HOSTILE, f"# {ENDLESS}\n\nA.", f"{ENDLESS}:\n\n- a\n- b"])
def test_hostile_texts_are_cut_quickly_into_short_passages(text: str) -> None:
    start = time.process_time()
    spans = windows(text, 4)
    assert time.process_time() - start < 5
    shown = {text[it.start : it.end] for it in spans} | {line for it in spans for _, line in it.lead}
    assert max(map(len, shown), default=0) <= LONGEST


TERMS = {
    "Which state produces the most peaches?": "state produc peach",
    "How many people live in the US?": "peopl live us",
    "peach peaches PEACH": "peach",
    "Café naïve ﬁrst": "cafe naiv first",
    "東京": "東 京",
    "हिन्दी שלום": "हिन्दी שלום",
    "What is it?": "what is it",
    'AND OR NOT title:x^2 [a TO b] "c" ~* \\': "titl x 2 b c",
    "?!": "",
}


def test_terms_are_the_stems_of_content_words() -> None:
    assert {query: " ".join(query_stems(query)) for query in TERMS} == TERMS
