"""Makes text from outside safe to show in a message."""

_MOST_SHOWN = 100  # characters


def shown(text: str, most: int = _MOST_SHOWN) -> str:
    """Makes `text` safe for a message: replaces unprintable characters, cuts it to `most` characters."""
    safe = "".join(character if character.isprintable() else "\ufffd" for character in text[: most + 1])
    return f"{safe[: most - 1]}…" if len(safe) > most else safe
