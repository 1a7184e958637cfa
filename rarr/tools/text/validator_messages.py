"""Removes the words that pydantic puts before the message of a validator."""


def without_prefix(message: str) -> str:
    """Returns `message` without pydantic's first "Value error, "."""
    return message.replace("Value error, ", "", 1)
