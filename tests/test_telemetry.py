"""A run with the encoder leaves nothing behind that tells of its use, also by its libraries."""

import os
import subprocess
import sys
from pathlib import Path

RUN = """
from rarr import revise
from rarr.backends.encoder.model_files import SHIPPED

text = "Its engineers planned the Hoover Dam for 212 metres."
revision = revise(text, corpus="corpus", home="data", weights=SHIPPED)
assert "onnxruntime" in __import__("sys").modules, "the run used no encoder: nothing was tested"
"""


def test_run_writes_only_into_its_data_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "dam.md").write_text("Hoover Dam is 221 metres high.", encoding="utf-8")
    home = tmp_path / "user"
    variables = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", RUN], env=variables, cwd=tmp_path, check=True)
    assert not home.exists(), [str(path) for path in home.rglob("*")]
