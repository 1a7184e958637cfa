"""What a folder of weights says of its training, so that the same call goes on and another is refused."""

from pathlib import Path

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import Record
from rarr.tools.storage.files import write_whole

FOLDER = "training"  # beside the weights: the checkpoint, the log, and the file below
_RUN = "run.json"
_DIGESTS = {"data": "other data", "start": "other weights to begin with"}  # in words for people


class Made(Record):
    """What decides the weights. `data` is a digest, and so is `start`, of the first ones."""

    data: str
    steps: int
    seed: int
    start: str


class Run(Record):
    """A run with the losses on what was held out; `after` is there once it is finished."""

    made: Made
    before: dict[str, float]
    after: dict[str, float] | None = None

    def save(self, out: Path) -> None:
        """Puts it in the place of what was there."""
        write_whole(out / FOLDER / _RUN, self.model_dump_json(indent=2) + "\n")


def kept(out: Path) -> Run | None:
    """The run in a folder; None where there is none. Raises `InputError` where it cannot be read."""
    path = out / FOLDER / _RUN
    try:
        return Run.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise InputError(f"{path} cannot be read: give another folder, or delete this one") from None


def begun(out: Path, made: Made) -> None:
    """Raises `InputError` unless the folder is empty, or holds a run that was `made` of the same."""
    if out.is_file():
        raise InputError(f"{out} is a file: give a folder")
    run = kept(out)
    if run is None:
        others = sorted(one.name for one in out.iterdir() if one.name != FOLDER) if out.exists() else []
        if others:
            raise InputError(f"{out} holds {others[0]}, and no run of rarr train editor: give its own folder")
        return
    for name in Made.model_fields:
        was, now = getattr(run.made, name), getattr(made, name)
        if was != now:
            what = _DIGESTS.get(name) or f"{name} {was}, and not {now}"
            raise InputError(f"{out} holds a run with {what}: give another folder, or delete this one")
