"""Measures the time and memory of a million triples, and how often a graph finds the right namesake.

    python -m benchmarks.graphs [--triples N]

A case of `examples/graph/namesakes` is invented: two people with the same name, and a text that means one of
them. The graph must choose by the text around the name. `held_out` is only for measuring.
"""

import asyncio
import csv
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import EXAMPLES, machine, make_parser, read_lines, share, table
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.triples import Triple

HALVES = ("tuned", "held_out")
RELATIONS = (
    "place of birth", "date of birth", "occupation", "employer", "spouse", "award received", "residence",
    "height", "notable work", "genre",
)  # fmt: skip
QUERIES = 500


class NamesakeCase(NamedTuple):
    """A text with a name that two people have. The text means the person with the id `meant`."""

    text: str
    name: str
    meant: str
    people: dict[str, dict[str, str]]


def read_cases(half: str) -> list[NamesakeCase]:
    return [NamesakeCase(**row) for row in read_lines(EXAMPLES / "graph" / "namesakes" / f"{half}.jsonl")]


def outcome(case: NamesakeCase) -> str:
    """Returns `right`, `wrong`, or `tie` if the graph cannot tell which of the two people the text means."""
    graph = Graph(
        Triple(id_, case.name, relation, value, value)
        for id_, facts in case.people.items()
        for relation, value in facts.items()
    )
    chosen = {each.entities for each in graph.mentions_in(case.text) if each.name == case.name}
    [ids] = chosen or {()}
    if len(ids) != 1:
        return "tie"
    return "right" if ids[0] == case.meant else "wrong"


def write_graph(file: Path, triples: int) -> None:
    draw = random.Random(1)
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["subject_id", "subject", "relation", "object"])
        for person in range(triples // len(RELATIONS)):
            name = f"{draw.choice(['Ida', 'Ole', 'Kari', 'Nils'])} Person{person}"
            for relation in RELATIONS:
                value = f"{relation.title()} {draw.randrange(max(1, triples // 5))}"
                writer.writerow([f"p{person}", name, relation, value])


def size_row(triples: int) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.csv")
        write_graph(file, triples)
        before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        graph = Graph.open(file)
        opened = time.process_time() - started
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    people = [id_ for id_ in graph.names if graph.triples_of(id_)]
    names = [graph.names[person] for person in people[:: len(people) // QUERIES or 1][:QUERIES]]
    started = time.process_time()
    for name in names:
        asyncio.run(graph.retrieve(f"Where was {name} born?", 5))
    each = (time.process_time() - started) / max(1, len(names))
    held = sum(len(graph.triples_of(person)) for person in people)
    return f"{held:,}", f"{opened:.1f}", f"{memory:.0f}", f"{1000 * each:.1f}"


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--triples", type=int, default=1_000_000)
    options = made.parse_args()
    print(machine())
    found = {half: [outcome(case) for case in read_cases(half)] for half in HALVES}
    rows = [
        (half, share([it == "right" for it in of]), str(of.count("tie")), str(of.count("wrong")))
        for half, of in found.items()
    ]
    print(table(("half", "right", "a tie, told", "wrong"), rows))
    head = ("triples", "opening, s of one core", "memory, MB", "a search, ms of one core")
    print(table(head, [size_row(options.triples)]))


if __name__ == "__main__":
    main()
