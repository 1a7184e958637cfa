"""Measures the weights that ship, beside the rules and the cosine of the base encoder, on the dev data.

    python -m recipes.evaluate                    everything that is not measured yet; prints the targets
    python -m recipes.evaluate --only handwritten --limit 50
    python -m recipes.evaluate --write            and writes the tables into docs/measured/encoder.md

Results are kept under recipes/build/evaluation/VERSION, for the code and the weights of `rarr` as they are:
a change of these begins anew, and a run that was ended goes on. After a change of a measure itself, delete
its file there. Intervals are 95%: Wilson for shares, else by bootstrap over documents; times are from the
least to the most of their runs, and want a machine with nothing else to do.
"""

import argparse
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import rarr
from benchmarks.report import machine
from rarr.backends.encoder.model_files import MODEL
from recipes.goals import COLUMNS, goals, targets
from recipes.measures import attribution, cloze, editing, handwritten, ranking, speed
from recipes.measures.context import Figure, Measure, context
from recipes.measures.kept import fingerprint
from recipes.page import PAGE, filled

FOLDER = Path(__file__).parent / "build" / "evaluation"
MEASURES: Mapping[str, Measure] = {
    "handwritten": handwritten.measure,
    "cloze": cloze.measure,
    "attribution": attribution.measure,
    "expertqa": attribution.expertqa,
    "editing": editing.measure,
    "ranking": ranking.measure,
    "speed": speed.measure,
}


def main() -> None:
    """Measures and prints; with --write, also writes the page."""
    options = _options()
    version = fingerprint(Path(rarr.__file__).parent)
    measure_context = context(options.folder / version, options.limit, options.processes)
    figures: list[Figure] = []
    tables: dict[str, str] = {}
    for name in options.only or MEASURES:
        print(f"measuring {name}", flush=True)
        results = MEASURES[name](measure_context)
        figures += results.figures
        tables |= results.tables
    tables = {"targets": targets(figures, goals()), "run": _run(version, options.limit, figures)} | tables
    print(*(f"\n## {name}\n\n{content}" for name, content in tables.items()), sep="\n")
    if options.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        print(f"\nwrote {PAGE}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=MEASURES, help="these measures alone")
    parser.add_argument("--limit", type=int, help="the first so many rows of each set alone")
    parser.add_argument("--processes", type=int, default=1, help="for the hand-written items (%(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where results are kept (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/measured/encoder.md")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write needs every measure: leave out --only; what is kept is not measured again")
    return options


def _run(version: str, limit: int | None, figures: Sequence[Figure]) -> str:
    part = "" if limit is None else f" **Of each set the first {limit} rows alone.**"
    if absent := [name for name in COLUMNS if name not in {figure.system for figure in figures}]:
        part += f" Not measured, for want of what it needs: {', '.join(absent)}."
    printed = f"Printed by `python -m recipes.evaluate --write` on {date.today()}"
    return f"{printed}: `{MODEL}`, version {version} of the code and the weights, on {machine()}.{part}"


if __name__ == "__main__":
    main()
