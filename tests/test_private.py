"""What is kept of a user's texts is the user's alone; what the user writes with -o is as the umask has it."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from families import few

from rarr import Reviser, Settings
from rarr.retrievers.corpus.corpus import Corpus, build_index

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


@pytest.fixture(params=few([0o000, 0o022, 0o002], every=3))
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text("Peaches grow in Georgia.")
    return folder


def open_to_others(folder: Path) -> list[str]:
    """What in `folder` somebody else may read, write or enter."""
    return [str(path) for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


@pytest.mark.slow
@pytest.mark.usefixtures("umask")
def test_data_folder_is_private(corpus: Path, tmp_path: Path) -> None:
    home = tmp_path / "some" / "where" / "home"
    settings = Settings(corpus=corpus, home=home, search="corpus,wikipedia", offline=True)
    with Reviser(settings) as reviser:
        reviser.revise("Peaches grow in Texas.")
        assert open_to_others(tmp_path / "some") == []  # while files are open
    assert {"traces", "cache", "indexes"} <= {path.name for path in home.iterdir()}
    assert open_to_others(tmp_path / "some") == []


RUN_WITH_ENCODER = """
from rarr import revise
from rarr.backends.encoder.model_files import SHIPPED

revise("Peaches grow in Texas.", corpus="corpus", home="data", weights=SHIPPED)
assert "onnxruntime" in __import__("sys").modules, "the run used no encoder: nothing was tested"
"""


def test_run_and_its_libraries_write_only_into_the_data_folder(corpus: Path, tmp_path: Path) -> None:
    home = tmp_path / "user"
    variables = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", RUN_WITH_ENCODER], env=variables, cwd=tmp_path, check=True)
    assert corpus.exists() and not home.exists(), [str(path) for path in home.rglob("*")]


def test_index_of_an_earlier_version_becomes_private(corpus: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    Corpus.open(corpus, home=home, window=4)
    [index] = (home / "indexes").iterdir()
    for path in (index, *index.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    Corpus.open(corpus, home=home, window=4)
    assert open_to_others(home) == []


def test_index_written_with_o_follows_the_umask(corpus: Path, tmp_path: Path, umask: int) -> None:
    out = tmp_path / "index"
    build_index(corpus, out, window=4)
    modes = {(it.is_dir(), stat.S_IMODE(it.stat().st_mode)) for it in (out, *out.rglob("*"))}
    assert modes == {(True, 0o777 & ~umask), (False, 0o666 & ~umask)}
