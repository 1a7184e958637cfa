"""Puts conflicts to a model: each once, even if the process is interrupted in between."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.conflicts.conflict_report import ConflictReport, ReactionLine, counts_by_group
from rarr.evals.conflicts.policies import POLICIES, Conflict, Made, Policy, conflicts_of, why_none
from rarr.evals.conflicts.question_rows import read_questions
from rarr.evals.conflicts.roles import Role, Tested, tested
from rarr.evals.literature.benchmark_judging import digest, write_report
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.storage.files import write_lines, writing

CONFLICTS = "conflicts.jsonl"


class ConflictOptions(Record):
    """The options of the benchmark: the role of the model, the policies, and how many conflicts of each.

    `jobs` conflicts are put to the model at once.
    """

    role: Role = "reviser"
    policies: tuple[Policy, ...] = POLICIES
    seed: int = 1
    limit: int | None = None
    jobs: int = 4


def bench_conflicts(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: ConflictOptions | None = None,
    on_row: Progress | None = None,
) -> ConflictReport:
    """Makes conflicts of the questions in the file `data`, puts them to the model, and reports to `out`.

    The same call continues an interrupted run. Raises `RarrError` before anything is spent, for data without
    a question or a conflict, or a model that cannot be used.
    """
    options, settings, path = options or ConflictOptions(), settings or Settings(), Path(out)
    source = read_questions(Path(data))
    made = conflicts_of(source.rows, options.policies, options.seed)
    conflicts = _limited(made.conflicts, options.limit)
    _require_conflicts(conflicts, made, data, options.role)
    description = described(settings)
    command = {"command": f"rarr bench conflicts, {options.model_dump(exclude={'jobs'})}"}
    made_with = run_inputs(source.digest, description | command)
    with run_folder.claimed(path, made_with):
        model = tested(options.role, settings)
        run_folder.begin(path, made_with)
        with writing(path):
            write_lines(path / CONFLICTS, (each.model_dump_json().encode() + b"\n" for each in conflicts))
        lines = finish_rows(
            conflicts,
            path,
            ReactionLine,
            of=conflicts,
            work_on=ConflictTest(model).line,
            result_of=line_itself,
            aclose=model.aclose,
            jobs=options.jobs,
            on_row=on_row,
        )
        report = ConflictReport(
            data=str(data),
            role=options.role,
            settings=description,
            rows=len(source.rows),
            conflicts=len(conflicts),
            counts=counts_by_group(list(zip(conflicts, lines, strict=True))),
            left_out=made.left_out,
            errors=tuple(f"{line.id}: {line.error}" for line in lines if line.error),
            unreadable=tuple(source.unreadable),
        )
        write_report(path, report)
    return report


def _require_conflicts(conflicts: Sequence[Conflict], made: Made, data: str | Path, role: Role) -> None:
    """Raises `InputError` if there is no conflict, or if a reader would get pairs of statements."""
    if not conflicts:
        raise InputError(f"{data} gives no conflict {why_none(made)}")
    if role == "reader" and any(each.policy == "given" for each in conflicts):
        cure = "test a reviser"
        raise InputError(f"{data} has pairs of statements, which no reader answers: {cure}")


class ConflictTest:
    """Puts conflicts to one model. Conflicts of one question ask about the unchanged passage only once."""

    def __init__(self, model: Tested) -> None:
        self._model = model
        self._right: dict[str, asyncio.Task[tuple[bool, bool | None]]] = {}

    async def line(self, conflict: Conflict) -> ReactionLine:
        """Puts one conflict to the model; the line has an error if that failed. Only a defect raises."""
        token = METER.set(Meter())
        try:
            right, remembers = await self._unchanged(conflict)
            if not right:
                return ReactionLine(id=conflict.id, right=False)
            bucket, answer = await self._model.reaction(conflict)
        except RarrError as error:
            return ReactionLine(id=conflict.id, error=str(error))
        finally:
            METER.reset(token)
        return ReactionLine(id=conflict.id, right=True, bucket=bucket, answer=answer, remembers=remembers)

    async def _unchanged(self, conflict: Conflict) -> tuple[bool, bool | None]:
        key = f"{conflict.question}\n{conflict.passage}"
        if key not in self._right:
            self._right[key] = asyncio.create_task(self._asked(conflict))
        return await asyncio.shield(self._right[key])

    async def _asked(self, conflict: Conflict) -> tuple[bool, bool | None]:
        right = await self._model.is_right(conflict)
        return right, await self._model.remembers(conflict) if right else None


def _limited(conflicts: Sequence[Conflict], limit: int | None) -> list[Conflict]:
    """Keeps at most `limit` conflicts of each policy, a sample that depends on the ids alone."""
    kept, counts = list[Conflict](), Counter[str]()
    for conflict in sorted(conflicts, key=lambda each: digest(each.id)):
        counts[conflict.policy] += 1
        if limit is None or counts[conflict.policy] <= limit:
            kept.append(conflict)
    return kept
