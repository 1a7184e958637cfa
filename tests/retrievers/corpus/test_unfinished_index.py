"""An index whose build was interrupted is not searched as if it were whole."""

from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_batches import Batches
from rarr.retrievers.corpus.index_reader import IndexReader
from rarr.retrievers.corpus.manifest import MANIFEST
from retrievers.makers import built


class InterruptedBuildError(Exception):
    """Stands for the end of the process."""


def opened(index: Path, home: Path) -> IndexReader:
    Corpus.open(index, home=home, window=4, step=1, max_file_mb=5)
    return IndexReader(index, 4, 1)


def interrupt(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def ends(*_: object) -> None:
        raise InterruptedBuildError

    monkeypatch.setattr(Batches, name, ends)


@pytest.mark.parametrize("where", ["read", "finish"])
def test_unfinished_index_is_refused_until_a_build_finishes_it(
    where: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "index"
    with monkeypatch.context() as patched, pytest.raises(InterruptedBuildError):
        interrupt(patched, where)
        built(folder, out)
    with pytest.raises(InputError) as caught:
        opened(out, tmp_path)
    assert "\n" not in str(caught.value)
    assert f"finish it with rarr index PATH -o {out}" in str(caught.value)
    built(folder, out)
    opened(out, tmp_path).close()


def test_next_build_continues_an_unfinished_index(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "index"
    with monkeypatch.context() as patched, pytest.raises(InterruptedBuildError):
        interrupt(patched, "finish")
        built(folder, out)
    before = (out / MANIFEST).stat().st_ino
    built(folder, out)
    assert (out / MANIFEST).stat().st_ino == before
