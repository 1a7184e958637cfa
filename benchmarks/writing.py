"""Lets a model write articles and answers from documents. Counts the citations that the check confirms.

    python -m benchmarks.writing [--model M] [--base-url URL] [--pending DIR]

`examples/writing` has invented documents (with namesakes, and with old and new figures), three topics, and
ten questions. No document answers some of the questions. A citation as written is right if the check says
that its source supports the sentence. A delivered citation is right if its sentence is supported. A question
is answered if supported statements have all its `facts`, and if `[NA]` marks what no document says.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from benchmarks.harness import EXAMPLES, model_parser, read_lines, report_time, share, table
from benchmarks.recorded_reader import NOT_RECORDED, count_unrecorded, wire_reader
from rarr import Settings
from rarr.agent.answer import Answerer
from rarr.agent.write import Writer
from rarr.errors import ModelError
from rarr.records.citations import Answer, Article

FOLDER = EXAMPLES / "writing"
HEAD = ("", "citations as written", "citations as delivered", "sentences supported")


class WrittenHits(NamedTuple):
    """Which citations and sentences of an article or answer are right."""

    as_written: tuple[bool, ...]  # for each citation before the check
    delivered: tuple[bool, ...]  # for each citation after the check
    supported: tuple[bool, ...]  # for each sentence
    answered: bool = True  # whether the question is answered


def judge_article(article: Article) -> WrittenHits:
    supported = {it.start for it in article.sentences if it.status == "supported"}
    return WrittenHits(
        tuple(bool(citation.entails) for it in article.sentences for citation in it.written),
        tuple(citation.sentence_start in supported for citation in article.citations),
        tuple(it.status == "supported" for it in article.sentences),
    )


def judge_answer(answer: Answer, facts: Sequence[str], *, unanswered: bool) -> WrittenHits:
    """Judges the citations of an answer. A statement with only `[NA]` does not count as a sentence."""
    statements = [it for it in answer.statements if it.citations or not it.needs_support]
    said = " ".join(it.text for it in answer.statements if it.status == "supported")
    marked = any(it.needs_support for it in answer.statements)
    held = [(it.status == "supported", len(it.refused), it.written) for it in answer.statements]
    return WrittenHits(
        tuple(is_held and at >= refused for is_held, refused, all_ in held for at in range(all_)),
        tuple(it.status == "supported" for it in statements for _ in it.citations),
        tuple(it.status == "supported" for it in statements),
        all(fact in said for fact in facts) and marked == unanswered,
    )


def judge_rows(model: Any, name: str, make: Callable[[dict[str, Any]], WrittenHits]) -> list[WrittenHits]:
    found = list[WrittenHits]()
    for row in read_lines(FOLDER / name):
        known = count_unrecorded(model)
        try:
            made = make(row)
        except ModelError as error:
            print(f"{NOT_RECORDED if count_unrecorded(model) > known else error}: {row}")
            continue
        found += [made] if count_unrecorded(model) == known else []
    return found


def judge_groups(settings: Settings) -> dict[str, list[WrittenHits]]:
    made = replace(wire_reader(settings), record=None)
    with Writer(components=made) as writer, Answerer(components=made) as answerer:

        def answered(row: dict[str, Any]) -> WrittenHits:
            return judge_answer(answerer.answer(row["question"]), row["facts"], unanswered=row["unanswered"])

        def wrote(row: dict[str, Any]) -> WrittenHits:
            return judge_article(writer.write(row["topic"], row["outline"]))

        makers = {"articles": ("topics.jsonl", wrote), "answers": ("questions.jsonl", answered)}
        return {name: judge_rows(settings.model, *maker) for name, maker in makers.items()}


def main() -> None:
    options = model_parser(__doc__).parse_args()
    with report_time(options), tempfile.TemporaryDirectory() as home:
        given = {"model": options.model, "base_url": options.base_url, "home": home, "trace": False}
        groups = judge_groups(Settings(corpus=FOLDER / "documents", **given))
        columns = {name: [*zip(*(it[:3] for it in group), strict=True)] for name, group in groups.items()}
        rows = {
            name: [share([hit for each in hits for hit in each]) for hits in of]
            for name, of in columns.items()
        }
        print(table(HEAD, [[f"{len(groups[name])} {name}", *row] for name, row in rows.items()]))
        print(f"questions answered: {share([it.answered for it in groups['answers']])}")


if __name__ == "__main__":
    main()
