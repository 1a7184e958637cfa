"""Stores which edits people refused, so that no later run makes these edits again.

The file `refused.txt` in the data folder has one line for each refused edit: a hash of the sentence and its
change, without any words. The refusal also holds if the sentence moves, or occurs in another document.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.ledger.edit_gate import REFUSED
from rarr.records import Edit, Notice, Revision
from rarr.records.cards_and_edits import Card, require_in_state
from rarr.settings import Settings
from rarr.tools.models.run_budget import meter
from rarr.tools.storage.files import make_private_folder, write_whole
from rarr.tools.text.wording import counted
from rarr.traces.trace_reader import Trace

REFUSALS_FILE, WITHHELD = "refused.txt", "suggestions_withheld"
_REFUSED = {"state": "refused", "reason": REFUSED}
_UNDONE = {"state": "suggested", "reason": "a person refused it, and undid that"}
Ids = Sequence[str]


class Refusals(frozenset[str]):
    """The set of hashes of the edits that people refused."""

    def __call__(self, text: str, card: Card) -> bool:
        """Tells whether a person refused an edit of this card of `text`, and so all edits of the card."""
        whole = text[card.start : card.end]
        return any(_hash(whole, text[it.start : it.end], it.new) in self for it in card.edits)


def read_refusals(folder: Path) -> Refusals:
    """Reads the refusals from the data folder. If the file cannot be read, warns and returns an empty set."""
    file = folder.expanduser() / REFUSALS_FILE
    try:
        return Refusals(file.read_text(encoding="utf-8").split() if file.exists() else ())
    except (OSError, UnicodeDecodeError) as error:
        told = f"{file} cannot be read ({error}), so what it refuses is suggested again: correct or remove it"
        meter().warn("refusals_failed", told)
        return Refusals()


def withheld_notices(run_id: str, edits: Iterable[Edit]) -> list[Notice]:
    """Makes a warning about the edits that were refused in an earlier run; [] if there are none."""
    names = [edit.id for edit in edits if edit.reason == REFUSED]
    cure = f"rarr trace decide {run_id} {' '.join(f'--undo {name}' for name in names)}"
    told = f"{counted(len(names), 'edit')} withheld, as refused before: to undo that, {cure}"
    return [Notice(code=WITHHELD, message=told, node="edit")] if names else []


def store_decisions(
    revision: Revision, folder: Path, accept: Ids = (), refuse: Ids = (), undo: Ids = ()
) -> Revision:
    """Returns the revision after decisions about edits by id, and writes the refusals to the data folder.

    All edits of a sentence are refused together. `undo` and `accept` remove their refusals from the folder.
    After `undo`, an edit is as the run made it, or suggested if the run withheld it as refused before. Raises
    `InputError` for wrong ids.
    """
    kept, plain = read_refusals(folder), revision.without(*(it.id for it in revision.edits))
    known = [it.id for it in revision.edits if it.state != "refused" or it.reason == REFUSED]
    places = {it.id: plain.sentence_of(it) for it in plain.edits if it.id in known}
    hashes = {name: edit_hashes(plain, [it for it in known if places[it] == places[name]]) for name in known}
    found, every = _as_kept(revision, [it for it in known if hashes[it] & kept]), [*accept, *refuse, *undo]
    if gated := [it for it in revision.edits if it.id in every and it.id not in known]:
        why = f"the gate refused edit {gated[0].id!r} ({gated[0].reason})"
        raise InputError(f"{why}, so no person can decide it: correct the text by hand")
    require_in_state("", [it for it in found.edits if it.id in known], every)
    if twice := [it for it in (*accept, *refuse) if (it in accept) + (it in refuse) + (it in undo) > 1]:
        raise InputError(f"edit {twice[0]!r} is decided twice: accept it, refuse it, or undo its refusal")
    if unknown := [name for name in undo if not hashes[name] & kept]:
        raise InputError(f"no person refused {unknown[0]}: there is no refusal to undo")
    freed = set[str]().union(*(hashes[name] for name in (*accept, *undo)))
    new = edit_hashes(plain, refuse)
    left = kept.difference(freed).union(new)
    made = _as_kept(
        revision, [it for it in known if it in refuse or (hashes[it] & left and it not in accept)]
    )
    if wanted := [it.id for it in made.edits if it.id in accept and not it.accepted]:
        made = made.accept(*wanted)
    if left != kept:
        _keep(folder, new, freed)
    return made


def decide_run(run: str, **decisions: Ids) -> Revision:
    """Applies and stores decisions about edits. `run` is the id of a recorded run, or a file of its JSON.

    Raises `InputError` if there is no such run or file, or if it has no revision.
    """
    file, cure = Path(run), "name a run that is done, or a file of rarr revise --json"
    try:
        written = file.read_bytes() if file.is_file() else None
        found = Trace.load(run).revision if written is None else Revision.model_validate_json(written)
    except (OSError, ValidationError) as error:
        why = getattr(error, "strerror", "it is not the JSON of a revision")
        raise InputError(f"{run} cannot be read ({why}): {cure}") from None
    if found is None:
        raise InputError(f"{run} has no revision: {cure}")
    return store_decisions(found, Settings().home, **decisions)


def _as_kept(revision: Revision, refused: Collection[str]) -> Revision:
    """Returns the revision with the edits of these ids refused, and all other refusals by people undone."""
    found = revision.without(*refused)
    states = {it.id: _UNDONE for it in found.edits if it.reason == REFUSED} | dict.fromkeys(refused, _REFUSED)
    edits = tuple(it.model_copy(update=states.get(it.id, {})) for it in found.edits)
    warnings = (*(it for it in found.warnings if it.code != WITHHELD), *withheld_notices(found.run_id, edits))
    return found.model_copy(update={"edits": edits, "warnings": warnings})


def _keep(folder: Path, refused: set[str], freed: set[str]) -> None:
    """Adds the hashes `refused` to the file, and removes the hashes `freed`."""
    file = folder.expanduser() / REFUSALS_FILE
    try:
        make_private_folder(file.parent)
        with FileLock(f"{file}.lock"):
            file.touch(mode=0o600)
            hashes = refused.union(file.read_text("utf-8").split()) - (freed - refused)
            write_whole(file, "".join(f"{it}\n" for it in sorted(hashes)))
    except OSError as error:
        raise InputError(f"{file} cannot be written ({error.strerror}): name another home") from None


def edit_hashes(revision: Revision, edit_ids: Collection[str]) -> set[str]:
    """Returns the hashes of the edits with these ids, none of which may be applied in the revision's text."""
    placed = ((edit, revision.sentence_of(edit)) for edit in revision.edits if edit.id in edit_ids)
    return {_hash(sentence.text, edit.old, edit.new) for edit, sentence in placed if sentence}


def _hash(sentence: str, old: str, new: str) -> str:
    words = " ".join(re.findall(r"\w+", sentence.casefold()))
    return sha256("\0".join((words, old, new)).encode()).hexdigest()
