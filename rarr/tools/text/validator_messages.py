"""Words the messages of pydantic as what to give instead."""

from pydantic_core import ErrorDetails

_NOUNS = {
    "a valid string": "a text",
    "a valid list": "a list",
    "a valid dictionary": "an object",
    "a valid boolean": "true or false",
    "a valid number": "a number",
    "a valid integer": "a whole number",
}
_CURES = {
    "missing": "it is missing: give it",
    "string_too_short": "it is empty: give a text",
    "string_pattern_mismatch": "it is empty: give a text",
    "string_too_long": "{msg}: shorten it",
    "too_long": "{msg}: give fewer",
}


def without_prefix(message: str) -> str:
    """Returns `message` without pydantic's first "Value error, "."""
    return message.replace("Value error, ", "", 1)


def cure(error: ErrorDetails) -> str:
    """Writes what to give instead of a wrong value, such as "give a text"."""
    kind, message = error["type"], without_prefix(error["msg"])
    if kind in _CURES:
        return _CURES[kind].format(msg=message)
    if kind == "value_error":  # of a validator of ours, which names the cure
        return message
    if not message.startswith("Input should be "):
        return f"{message}: correct it"
    wanted = message.removeprefix("Input should be ")
    for theirs, ours in _NOUNS.items():
        if wanted.startswith(theirs):
            return f"give {ours}"
    return f"give a number {wanted}" if kind.startswith(("greater", "less")) else f"give {wanted}"
