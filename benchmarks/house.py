"""The figures of this repository itself: size, names, imports, and how many functions a reader opens.

python -m benchmarks.house
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

from benchmarks.report import table

ROOT = Path(__file__).parents[1]
WEAK_NAMES = ("one", "found", "said", "its", "mine")
"""Identifiers that do not tell what they hold."""

TO_THE_GATE = (
    "rarr.agent.revise.revise",
    "rarr.agent.revise.Reviser.arevise",
    "rarr.agent.revise.Reviser.arevise_from",
    "rarr.agent.graph_runs.GraphRuns.through_graph",
    "rarr.agent.checkpoints.Checkpoints.graph",
    "rarr.agent.graph.build_graph",
    "rarr.nodes.edit.edit",
    "rarr.nodes.edit._card_edits",
    "rarr.ledger.card_edits.with_card_edits",
    "rarr.ledger.card_edits._decision",
)
"""The functions that a reader opens from `revise` to the logic of the gate. Each names the next one."""
TO_THE_SEARCH = (
    *TO_THE_GATE[:6],
    "rarr.nodes.retrieve.retrieve",
    "rarr.retrievers.corpus.corpus.Corpus.retrieve",
    "rarr.retrievers.corpus.corpus.Corpus._remembered",
    "rarr.retrievers.corpus.corpus.Corpus._search",
    "rarr.retrievers.corpus.tantivy_index.best_hits",
)
"""The functions between `revise` and the BM25 search."""

Sources = Mapping[str, str]
"""The source text of each module, by the module's dotted name."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> None:
    """Prints a table of figures, and below it the names and paths behind them."""
    sources = package(ROOT)
    classes, functions = repeated_names(sources)
    circles = import_circles(sources)
    lengths = sorted(function_lengths(sources))
    readme = (ROOT / "README.md").stat().st_size
    weak = weak_names(read(ROOT, ("rarr", "benchmarks", "recipes")))
    figures = [
        ("rooms", len(rooms(sources))),
        ("files", len(sources)),
        ("lines", sum(source.count("\n") for source in sources.values())),
        ("functions", len(lengths)),
        ("lines of a function, p50 / p90 / max", " / ".join(map(str, quantiles(lengths)))),
        ("hops from revise to the gate's logic", len(TO_THE_GATE) - 1),
        ("hops from revise to the BM25 search", len(TO_THE_SEARCH) - 1),
        ("class names that several modules define", len(classes)),
        ("public function names that several modules define", len(functions)),
        ("circles of imports between rooms", len(circles)),
        ("bytes of the README", readme),
        *((f"identifier `{name}`, with benchmarks and recipes", weak[name]) for name in WEAK_NAMES),
    ]
    print(table(("figure", "value"), [(name, str(value)) for name, value in figures]))
    for title, names in (("Classes", classes), ("Functions", functions)):
        print(f"\n{title} of one name:")
        print("\n".join(f"  {name}: {', '.join(modules)}" for name, modules in names.items()))
    for title, path in (("gate", TO_THE_GATE), ("BM25 search", TO_THE_SEARCH)):
        print(f"\nFrom revise to the {title}:", *path, sep="\n  ")
    for circle in circles:
        print(f"\nCircle: {' -> '.join(circle)}")


def package(root: Path) -> dict[str, str]:
    """The modules of `rarr`."""
    return read(root, ("rarr",))


def read(root: Path, folders: Iterable[str]) -> dict[str, str]:
    """The modules in `folders` of the repository at `root`."""
    files = (file for folder in folders for file in sorted((root / folder).rglob("*.py")))
    return {_module(file.relative_to(root)): file.read_text(encoding="utf-8") for file in files}


def rooms(sources: Sources) -> list[str]:
    """The folders right under the package."""
    return sorted({module.split(".")[1] for module in sources if module.count(".") > 1})


def function_lengths(sources: Sources) -> Iterator[int]:
    """The number of lines of each function, its signature and docstring included."""
    for _, function in _functions(sources):
        yield (function.end_lineno or function.lineno) - function.lineno + 1


def quantiles(lengths: Sequence[int]) -> tuple[int, int, int]:
    """The median, the ninth decile and the largest of sorted `lengths`."""
    return lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10], lengths[-1]


def repeated_names(sources: Sources) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The classes, and the public functions, at the top of several modules: name -> modules."""
    classes: dict[str, list[str]] = defaultdict(list)
    functions: dict[str, list[str]] = defaultdict(list)
    for module, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name.removeprefix("_")].append(module)
            elif isinstance(node, Function) and not node.name.startswith("_"):
                functions[node.name].append(module)
    return _several(classes), _several(functions)


def import_circles(sources: Sources) -> list[list[str]]:
    """The rooms that import each other in a circle. Only the first circle found is returned."""
    graph: dict[str, set[str]] = defaultdict(set)
    for module, source in sources.items():
        graph[_room(module)] |= {_room(name) for name in _imports(source, sources)} - {_room(module)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [error.args[1]]
    return []


def weak_names(sources: Sources) -> Counter[str]:
    """How often each of `WEAK_NAMES` is a variable, a parameter, a function or an attribute."""
    count: Counter[str] = Counter()
    for source in sources.values():
        count.update(name for node in ast.walk(ast.parse(source)) for name in _names(node))
    return Counter({name: count[name] for name in WEAK_NAMES})


def broken_hops(path: Sequence[str], sources: Sources) -> list[str]:
    """The functions of `path` that do not exist, or whose source does not name the next function.

    A node is not named by the graph that calls it but by the edges, and a component by its interface: for
    these hops the name of the method counts.
    """
    bodies = {name: ast.unparse(function) for name, function in _functions(sources)}
    broken = [name for name in path if name not in bodies]
    for name, following in pairwise(path):
        if not re.search(rf"\b{following.rpartition('.')[2]}\b", bodies.get(name, "")):
            broken.append(f"{name} -> {following}")
    return broken


def _functions(sources: Sources) -> Iterator[tuple[str, Function]]:
    for module, source in sources.items():
        yield from _functions_in(ast.parse(source), module)


def _functions_in(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (Function, ast.ClassDef)):
            name = f"{prefix}.{child.name}"
            if isinstance(child, Function):
                yield name, child
            yield from _functions_in(child, name)
        else:
            yield from _functions_in(child, prefix)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, Function):
        yield node.name


def _imports(source: str, sources: Sources) -> Iterator[str]:
    """The modules of `sources` that `source` imports, in functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in sources else node.module for name in names]
        else:
            continue
        yield from (name for name in names if name in sources)


def _room(module: str) -> str:
    return module.partition(".")[2].partition(".")[0] or "rarr"


def _module(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _several(modules: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: places for name, places in sorted(modules.items()) if len(places) > 1}


if __name__ == "__main__":
    main()
