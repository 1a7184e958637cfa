"""What `import rarr` costs and gives."""

import ast
import inspect
import subprocess
import sys

import pytest

import rarr
from rarr import errors, records

HEAVY = {"torch", "transformers", "sentence_transformers", "fastapi", "uvicorn", "starlette"}


def test_import_loads_no_submodule_no_torch_and_no_web_server() -> None:
    program = "import sys, rarr; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name in HEAVY or name.startswith("rarr")}
    assert loaded == {"rarr"}


def test_all_holds_what_type_checkers_see_every_error_and_every_record_and_nothing_else() -> None:
    tree = ast.parse(inspect.getsource(rarr))
    seen = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert list(rarr.__all__) == sorted({*seen} - {"import_module"})
    assert [name for name in rarr.__all__ if not hasattr(rarr, name)] == []
    classes = [it for it in (*vars(errors).values(), *vars(records).values()) if inspect.isclass(it)]
    kinds = {it.__name__ for it in classes if issubclass(it, (errors.RarrError, records.Record))}
    assert kinds - {"Record"} <= {*rarr.__all__} <= {*dir(rarr)}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="'Nothing'"):
        getattr(rarr, "Nothing")  # noqa: B009  # mypy would see it
    with pytest.raises(ImportError, match="'Nothing'"):
        exec("from rarr import Nothing")
