"""What `import rarr` costs and gives."""

import inspect
import subprocess
import sys

import rarr
from rarr import errors, records

HEAVY = ["torch", "transformers", "sentence_transformers", "fastapi", "uvicorn", "starlette"]


def test_import_loads_neither_torch_nor_a_web_server() -> None:
    program = f"import sys, rarr; print(*(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_all_is_sorted() -> None:
    assert list(rarr.__all__) == sorted(set(rarr.__all__))


def test_every_name_of_all_exists() -> None:
    assert [name for name in rarr.__all__ if not hasattr(rarr, name)] == []


def test_all_holds_every_public_name() -> None:
    public = {name for name, value in vars(rarr).items() if name[0] != "_" and not inspect.ismodule(value)}
    assert public | {"Reviser", "Settings", "arevise", "revise"} <= set(rarr.__all__)


def test_all_holds_every_error_and_every_record() -> None:
    classes = [*vars(errors).values(), *vars(records).values()]
    kinds = {
        c.__name__
        for c in classes
        if inspect.isclass(c) and issubclass(c, (errors.RarrError, records.Record))
    }
    assert kinds - {"Record"} <= set(rarr.__all__)
