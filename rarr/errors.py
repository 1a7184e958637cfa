"""Declares every error that `rarr` raises on purpose.

    RarrError
    ├── InputError            the call or its input is wrong: a text, a path, an edit id      (exit status 2)
    │   └── SettingsError     an unknown or invalid setting, preset, model or search          (exit status 2)
    ├── SetupError            a package, key or model that the settings ask for is missing    (exit status 2)
    ├── RetrievalError        a source of evidence failed; inside a run it becomes a warning
    ├── ModelError            a language model failed, or its answer cannot be read; in a run a warning
    │   └── PromptTooLong     the prompt does not fit into the context of the language model
    └── BudgetError           a limit on calls, tokens, cost or time was reached; in a run a warning

Each message is one line that says what is wrong and how to fix it. If the package raises any other
error, report a bug.
"""


class RarrError(RuntimeError):  # LangGraph's server hides the messages of other errors from a caller
    """The base class of all errors of `rarr`."""


class InputError(RarrError):
    """A call has a wrong argument, such as a text, a path or the id of an edit."""


class SettingsError(InputError):
    """A setting, preset, model or search name is unknown or out of range."""


class SetupError(RarrError):
    """Something that the settings ask for is not installed or not configured."""


class RetrievalError(RarrError):
    """A source of evidence could not be searched."""


class ModelError(RarrError):
    """A language model could not be asked, or its answer could not be read."""


class PromptTooLong(ModelError):  # noqa: N818  # named like the failure `too_long` of a request
    """A prompt does not fit into the context of a language model. The message comes from the server."""


class BudgetError(RarrError):
    """A limit of the run on calls, tokens, cost or time was reached."""
