"""Repeats the recorded answers of a strong model, for the option `--model recorded` of benchmarks.

`benchmarks/recorded/answers.jsonl` has a line for each request: its messages, its seed if it is not 0, and
the answer. A request without a recorded answer fails. It counts as not recorded, and never as wrong.

A request shows the passages that the reranker kept, so `kept.json` has the passages of each query. Recorded
answers measure only how passages are read; `benchmarks.retrieval` measures how they are ranked.
"""

import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rarr import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Components
from rarr.records import Passage
from rarr.retrievers.reranking import OverlapIndex
from rarr.settings import Settings
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Tokens, estimated_tokens

FILE = Path(__file__).parent / "recorded" / "answers.jsonl"
KEPT = FILE.with_name("kept.json")
_SCHEMA = "\n\n## schema of the answer (JSON alone)\n\n"  # stands after the prompt of a request to record
NOT_RECORDED = "not recorded"
"""The result of a sentence that the recorded model was not asked about."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Returns the objects in a file of JSON lines. Unpacks a file whose name ends in `.gz`."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    # Not `splitlines`: a JSON text may contain other line ends, such as U+2028.
    return [json.loads(line) for line in text.split("\n") if line]


class RecordedModel:
    """A model that answers from a file. `missing` has the prompts of requests without an answer, by key."""

    def __init__(self, file: Path = FILE, name: str = "recorded") -> None:
        self.name = name
        self.missing: dict[str, str] = {}
        self._answers = {row_key(row): row["answer"] for row in (read_lines(file) if file.exists() else ())}

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the recorded answer. Raises `CallFailure` if the answer to the request is not recorded."""
        prompt = prompt_text(ask)
        key = key_of(prompt, ask.seed)
        if key not in self._answers:
            self.missing[key] = f"{prompt}{_SCHEMA}{json.dumps(ask.schema)}"
            raise CallFailure("refused", f"{self.name}: this request for {ask.name} is not recorded")
        answer = self._answers[key]
        sent = [message.content for message in ask.messages]
        schema = json.dumps(ask.schema, separators=(",", ":"))  # as clients send it
        tokens = Tokens(estimated_tokens([*sent, schema]), estimated_tokens([answer]))
        return Answer((answer,), tokens)

    async def aclose(self) -> None:
        """Does nothing: this model has no connections."""

    def report_missing(self, folder: Path | None) -> None:
        """Prints how many requests are missing. If `folder` is given, writes each as KEY.md into it."""
        print(f"{len(self.missing)} requests are not recorded")
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        for key, prompt in self.missing.items():
            (folder / f"{key}.md").write_text(prompt, encoding="utf-8")


def count_unrecorded(model: object) -> int:
    """Returns how many requests a recorded model could not answer until now; 0 for any other model."""
    return len(model.missing) if isinstance(model, RecordedModel) else 0


class RecordedReranker:
    """A reranker that puts first the passages which were kept when the answers were recorded."""

    def __init__(self, file: Path = KEPT) -> None:
        self._kept: dict[str, list[int]] = json.loads(file.read_text(encoding="utf-8"))

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Scores the kept passages in their order, and others as 0. Scores an unknown query by overlap."""
        order = sorted(range(len(passages)), key=lambda number: _title_and_text(passages[number]))
        key = key_of("\n\n".join([query, *(_title_and_text(passages[number]) for number in order)]))
        if key not in self._kept:
            return OverlapIndex(passages).scores(query)
        scores = [0.0] * len(passages)
        for place, number in enumerate(self._kept[key]):
            scores[order[number]] = 1 - place / len(passages)
        return scores


def wire_reader(settings: Settings, **options: Any) -> Components:
    """Makes the components. A recorded model gets the passages that it read when it was recorded."""
    wired = wire(settings, **options)
    return replace(wired, reranker=RecordedReranker()) if isinstance(settings.model, RecordedModel) else wired


@contextmanager
def reader_of_pages(pages: Iterable[Mapping[str, str]], **given: Any) -> Iterator[Reviser]:
    """Yields a reviser whose corpus are the `pages`, and whose other settings are `given`."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "pages.jsonl")
        corpus.write_text("\n".join(map(json.dumps, pages)), encoding="utf-8")
        settings = Settings(corpus=corpus, home=Path(folder), trace=False, **given)
        with Reviser(components=wire_reader(settings)) as reviser:
            yield reviser


def _title_and_text(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}"


def prompt_text(ask: ChatRequest) -> str:
    """Returns the messages of a request as one text, each message below its role."""
    return "\n\n".join(f"## {message.role}\n\n{message.content}" for message in ask.messages)


def key_of(prompt: str, seed: int = 0) -> str:
    """Returns the key of a request. Several samples of one prompt have different seeds, and so other keys."""
    return hashlib.sha256(f"{seed or ''}{prompt}".encode()).hexdigest()[:16]


def row_key(row: Mapping[str, Any]) -> str:
    """Returns the key of the request in a row of the file."""
    return key_of(row["prompt"], row.get("seed", 0))


def add_answers(store: Path, file: Path = FILE) -> int:
    """Adds the answers in `store`, a file of file_model.py, to `file`. Returns the number of its lines."""
    rows: dict[str, dict[str, Any]] = {}
    for source in (file, store):
        for row in read_lines(source) if source.exists() else []:
            seed = _seed_of(row) if "id" in row else row.get("seed", 0)
            prompt = row["prompt"].partition(_SCHEMA)[0]
            kept = {"prompt": prompt} | ({"seed": seed} if seed else {}) | {"answer": row["answer"]}
            rows[row_key(kept)] = kept
    file.parent.mkdir(exist_ok=True)
    written = "".join(json.dumps(rows[key], ensure_ascii=False) + "\n" for key in sorted(rows))
    file.write_text(written, encoding="utf-8")
    return len(rows)


def _seed_of(row: Mapping[str, str]) -> int:
    """Returns the seed of a request. file_model.py stores it only in the id of the row, which is a digest."""
    for seed in range(100):
        if hashlib.sha256(f"{seed}\n{row['prompt']}".encode()).hexdigest().startswith(row["id"]):
            return seed
    raise ValueError(f"row {row['id']} has no seed from 0 to 99: is its prompt as file_model.py wrote it?")
