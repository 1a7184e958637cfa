"""What `import rarr` costs and gives."""

import ast
import inspect
import subprocess
import sys

import pytest

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


def test_all_holds_what_type_checkers_see() -> None:
    tree = ast.parse(inspect.getsource(rarr))
    seen = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted({*seen} - {"import_module"}) == rarr.__all__


def test_import_loads_no_submodules() -> None:
    program = "import sys, rarr; print(*(name for name in sys.modules if name.startswith('rarr')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rarr"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="'Nothing'"):
        getattr(rarr, "Nothing")  # noqa: B009  # mypy would see it
    with pytest.raises(ImportError, match="'Nothing'"):
        exec("from rarr import Nothing")


def test_lazy_names_are_listed_by_dir() -> None:
    assert set(rarr.__all__) <= set(dir(rarr))


def test_all_holds_every_error_and_every_record() -> None:
    classes = [*vars(errors).values(), *vars(records).values()]
    kinds = {
        c.__name__
        for c in classes
        if inspect.isclass(c) and issubclass(c, (errors.RarrError, records.Record))
    }
    assert kinds - {"Record"} <= set(rarr.__all__)
