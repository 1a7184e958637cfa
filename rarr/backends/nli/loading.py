"""Loads a model and its tokenizer: from a folder, from an earlier download, or from the hub."""

from collections.abc import Callable
from typing import Any, NamedTuple

from rarr.backends.nli.format_detection import ModelShape, shape_of
from rarr.errors import SettingsError, SetupError
from rarr.tools.models.hub import INSTALL, can_be_model, loaded, one_line


class LoadedModel(NamedTuple):
    """A model in evaluation mode on its device, with its tokenizer, its shape and the module `torch`."""

    model: Any
    tokenizer: Any
    shape: ModelShape
    torch: Any


def loaded_model(name: str) -> LoadedModel:
    """Loads the model `name`, on a GPU if torch finds one.

    The config is loaded first, so that no model is downloaded and then refused. Code that comes with a
    model is not run. Raises `SettingsError` for a name that can be no model. Raises `SetupError` where the
    extra is not installed, or the model cannot be loaded or is no verifier.
    """
    if not can_be_model(name):
        raise SettingsError(
            f"unknown model 'nli:{name}': give the folder of a model, or its name on the hub, such as"
            " nli:MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli"
        )
    try:
        import torch
        import transformers
    except ImportError as error:
        raise SetupError(f"model 'nli:{name}' cannot be loaded ({one_line(error)}): {INSTALL}") from error
    shape = shape_of(_had(name, transformers.AutoConfig), name)
    tokenizer = _had(name, transformers.AutoTokenizer)
    model, report = _had(name, getattr(transformers, shape.loader), output_loading_info=True)
    if lacking := sorted(report["missing_keys"]):
        raise SetupError(
            f"model 'nli:{name}' lacks weights, {lacking[0]} among them, so that its answers would be random:"
            " choose one that was trained for natural language inference"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        model = model.float()  # halves are slow there
    return LoadedModel(model.to(device).eval(), tokenizer, shape, torch)


def _had(name: str, kind: Any, **options: Any) -> Any:
    """Loads the files of `name` as an object of `kind`, a class of transformers. Raises `SetupError`."""
    made: Callable[[str, bool], Any] = lambda path, local: kind.from_pretrained(  # noqa: E731
        path, local_files_only=local, trust_remote_code=False, **options
    )
    try:
        return loaded(name, made)
    except Exception as error:  # the hub, the network and the file formats have exceptions of their own
        # What was downloaded before is refused first, and then perhaps the hub cannot be reached.
        if "trust_remote_code" in f"{error} {error.__context__}":
            raise SetupError(
                f"model 'nli:{name}' needs Python code of its own, which is not run here: choose a model that"
                " transformers knows, such as lytang/MiniCheck-Flan-T5-Large"
            ) from error
        raise SetupError(
            f"model 'nli:{name}' cannot be loaded ({one_line(error)}): check the name and the connection,"
            " or give the folder of a model"
        ) from error
