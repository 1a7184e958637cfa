"""Checks the text of a run before it starts, and makes warnings about the text and the settings."""

from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Notice
from rarr.tools.text.blocks_and_sentences import html_share, unread_tables
from rarr.tools.text.wording import counted, kind_of
from rarr.valid_unicode import REPLACEMENT, valid

_UNUSED_ADDRESS = Notice(
    code="server_not_used",
    message="base_url is given, but no model of a server, so that the embedded models run: name the model, as"
    " with model vllm:NAME",
    node="",
)
_MOST_HTML = 0.5
"""The most of the characters of a text that may be blocks of HTML without a warning."""


def required_text(text: object, name: str) -> str:
    """Returns `text` as valid Unicode. `name` is the argument's name in errors.

    Raises `InputError` for a value that is not a string, and for an empty text.
    """
    if not isinstance(text, str):
        raise InputError(f"{name} is {kind_of(text)}, not a str: decode or convert it first")
    if not text.strip():
        raise InputError(f"{name} is empty: give at least one sentence")
    return valid(text)


def unused_settings(components: Components) -> list[Notice]:
    """Makes a warning for each given corpus, graph or address of a server that the run will not use."""
    # The wiring takes a second to import; `import rarr` need not wait for it.
    from rarr.agent.wiring.search_and_reranking import SERVED, search_names

    settings = components.settings
    is_served = bool(components.models) or settings.reranker.startswith(SERVED)
    unused = [_UNUSED_ADDRESS] if settings.base_url is not None and not is_served else []
    for name in ("corpus", "graph"):
        if getattr(settings, name) is not None and not any(each == name for each in search_names(settings)):
            message = f"a {name} is given, but search does not name it: {name},wikipedia searches both"
            unused.append(Notice(code=f"{name}_not_searched", message=message, node="retrieve"))
    return unused


def replaced_notices(given: str, text: str) -> list[Notice]:
    """Makes a warning if `text`, the valid Unicode of `given`, has characters replaced by U+FFFD."""
    if not (replaced := text.count(REPLACEMENT) - given.count(REPLACEMENT)):
        return []
    message = (
        f"{counted(replaced, 'character')} of the text or its context replaced by U+FFFD: leave out NUL and"
        " halves of surrogate pairs"
    )
    return [Notice(code="character_replaced", message=message, node="generate_queries")]


def unread_notices(text: str) -> list[Notice]:
    """Makes a warning if most of `text` is HTML, and one if it has tables whose cells are not read."""
    messages: dict[str, str] = {}
    if html_share(text) > _MOST_HTML:
        messages["html_not_checked"] = (
            "the text is HTML, whose blocks are not checked: give it as plain text or Markdown, as pandoc"
            " and trafilatura write it"
        )
    if unread := unread_tables(text):
        messages["table_not_checked"] = (
            f"{counted(unread, 'table')} not checked: only tables in Markdown are, outside of quotes and"
            " lists, whose rows each have a header of their own and as many cells as the first line"
        )
    return [Notice(code=code, message=message, node="generate_queries") for code, message in messages.items()]
