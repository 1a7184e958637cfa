"""Messages of validators, which pydantic puts behind words of its own."""


def without_prefix(message: str) -> str:
    """`message` as the validator wrote it, without pydantic's "Value error, "."""
    return message.replace("Value error, ", "", 1)
