"""Lists the providers of language models that run on the user's machines. The command line imports it."""

DEFAULT_URLS = {"vllm": "http://localhost:8000/v1", "ollama": "http://localhost:11434/v1"}
"""The providers with OpenAI's protocol, each with the address that is asked where `base_url` is None."""

MODEL_NAMES = ", ".join(f"{provider}:NAME" for provider in (*DEFAULT_URLS, "openai"))
"""The names of models that help and errors give as examples."""


def default_url(name: str) -> str | None:
    """Returns the provider's own address for a model such as vllm:NAME; None for other providers."""
    return DEFAULT_URLS.get(name.partition(":")[0])
