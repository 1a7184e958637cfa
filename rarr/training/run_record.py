"""Records the training in a folder of weights, so that the same call continues it and another is refused."""

from pathlib import Path

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import Record
from rarr.tools.storage.files import write_whole

FOLDER = "training"  # beside the weights: the checkpoint, the log, and the file below
_RUN = "run.json"
_DIGESTS = {"data": "other data", "start": "other weights to begin with"}  # for messages


class Made(Record):
    """The inputs that determine the weights. `data` and `start` (the first weights) are digests."""

    data: str
    steps: int
    seed: int
    start: str


class Run(Record):
    """The record of a training run: its inputs, and the losses on the held-out rows.

    `after` and `sure`, the threshold of corrections, are set when the run is finished.
    """

    made: Made
    before: dict[str, float]
    after: dict[str, float] | None = None
    sure: float | None = None

    def save(self, out: Path) -> None:
        """Writes the record into the folder `out`, in place of the earlier record."""
        write_whole(out / FOLDER / _RUN, self.model_dump_json(indent=2) + "\n")


def kept(out: Path) -> Run | None:
    """Reads the record of the run in a folder; None if there is none. `InputError` if it is unreadable."""
    path = out / FOLDER / _RUN
    try:
        return Run.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise InputError(f"{path} cannot be read: give another folder, or delete this one") from None


def require_same_run(out: Path, made: Made) -> None:
    """Checks that the folder is empty or holds a run of the inputs `made`. Raises `InputError` if not."""
    if out.is_file():
        raise InputError(f"{out} is a file: give a folder")
    run = kept(out)
    if run is None:
        others = sorted(file.name for file in out.iterdir() if file.name != FOLDER) if out.exists() else []
        if others:
            raise InputError(
                f"{out} holds {others[0]}, not a run of rarr train editor: give a folder of its own"
            )
        return
    for name in Made.model_fields:
        before, now = getattr(run.made, name), getattr(made, name)
        if before != now:
            difference = _DIGESTS.get(name) or f"{name} {before}, not {now}"
            raise InputError(f"{out} holds a run with {difference}: give another folder, or delete this one")
