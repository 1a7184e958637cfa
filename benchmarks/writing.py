"""Articles and answers that a model writes from documents: how many of their citations the check confirms.

    python -m benchmarks.writing [--each] [--model M] [--base-url URL] [--pending DIR]

`examples/writing` has invented documents, among them namesakes and old figures beside new ones; three topics;
and ten questions, some of which ask for what no document says. A citation as written is right if the check of
the run says that its source supports the sentence; a delivered citation, if its sentence is supported. A
question is answered if supported statements have all its `facts`, and if `[NA]` marks what no document says.
`--model recorded` repeats recorded answers; what the recorded model was not asked counts as nothing.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from benchmarks.harness import EXAMPLES, NOT_RECORDED, lines, reading, reported, share, table, unrecorded
from benchmarks.recorded_reader import components
from rarr import Settings
from rarr.agent.answer import Answerer
from rarr.agent.write import Writer
from rarr.errors import ModelError
from rarr.records.answers import Answer
from rarr.records.articles import Article

FOLDER = EXAMPLES / "writing"
HEAD = ("", "citations as written", "citations as delivered", "sentences supported")


class Written(NamedTuple):
    """What a model wrote: its text with marks, and what is right of its citations and sentences."""

    name: str
    text: str
    as_written: tuple[bool, ...]
    delivered: tuple[bool, ...]
    supported: tuple[bool, ...]
    answered: bool = True


def of_article(article: Article) -> Written:
    """Counts the citations of an article by the sentences of the article."""
    supported = {it.start for it in article.sentences if it.status == "supported"}
    return Written(
        article.topic,
        article.text,
        tuple(bool(citation.entails) for it in article.sentences for citation in it.written),
        tuple(citation.sentence_start in supported for citation in article.citations),
        tuple(it.status == "supported" for it in article.sentences),
    )


def of_answer(answer: Answer, facts: Sequence[str], *, unanswered: bool) -> Written:
    """Counts the citations of an answer; a statement that is marked `[NA]` is no sentence to support."""
    statements = [it for it in answer.statements if it.citations or not it.needs_support]
    said = " ".join(it.text for it in answer.statements if it.status == "supported")
    marked = any(it.needs_support for it in answer.statements)
    refused = [number < len(it.refused) for it in answer.statements for number in range(it.written)]
    return Written(
        answer.question,
        answer.render(),
        tuple(not is_refused for is_refused in refused),
        tuple(it.status == "supported" for it in statements for _ in it.citations),
        tuple(it.status == "supported" for it in statements),
        all(fact in said for fact in facts) and marked == unanswered,
    )


def articles(given: dict[str, Any]) -> list[Written]:
    """Writes the articles, without those of which a request is not recorded."""
    found, model = list[Written](), given["model"]
    with Writer(components=replace(components(Settings(**given)), record=None)) as writer:
        for row in lines(FOLDER / "topics.jsonl"):
            known = unrecorded(model)
            article = writer.write(row["topic"], row["outline"])
            if unrecorded(model) == known:
                found.append(of_article(article))
    return found


def answers(given: dict[str, Any]) -> list[Written]:
    """Answers the questions, without those of which a request is not recorded."""
    found, model = list[Written](), given["model"]
    with Answerer(components=replace(components(Settings(**given)), record=None)) as answerer:
        for row in lines(FOLDER / "questions.jsonl"):
            known = unrecorded(model)
            try:
                answer = answerer.answer(row["question"])
            except ModelError as error:
                print(f"{NOT_RECORDED if unrecorded(model) > known else error}: {row['question']}")
                continue
            if unrecorded(model) == known:
                found.append(of_answer(answer, row["facts"], unanswered=row["unanswered"]))
    return found


def line(name: str, group: Sequence[Written]) -> list[str]:
    """The row of the table for a group."""
    columns = zip(*(it[2:5] for it in group), strict=True)
    return [f"{len(group)} {name}", *(share([hit for hits in each for hit in hits]) for each in columns)]


def main() -> None:
    made = reading(__doc__)
    made.add_argument("--each", action="store_true", help="print each article and answer")
    options = made.parse_args()
    with reported(options), tempfile.TemporaryDirectory() as home:
        given = {"model": options.model, "base_url": options.base_url, "home": home, "trace": False}
        groups = {"articles": articles(given | {"corpus": FOLDER / "documents"})}
        groups["answers"] = answers(given | {"corpus": FOLDER / "documents"})
        print(table(HEAD, [line(name, group) for name, group in groups.items() if group]))
        print(f"questions answered: {share([it.answered for it in groups['answers']])}")
        for it in [*groups["articles"], *groups["answers"]] if options.each else ():
            print(f"\n## {it.name} ({'as expected' if it.answered else 'NOT as expected'})\n\n{it.text}")


if __name__ == "__main__":
    main()
