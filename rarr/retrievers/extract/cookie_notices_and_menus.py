"""Removes cookie notices, menus and buttons from the main text of a web page."""

import re

_LONGEST = 400  # characters; a longer block is an article, even if it is about cookies

_COOKIES = re.compile(
    r"(?:we|this (?:web)?site|our (?:web)?site|our partners|we and our (?:\d+ )?partners)\b.{0,60}\bcookies\b"
    r"|by (?:continuing|using|clicking)\b.{0,80}\b(?:cookies|privacy policy|terms of (?:use|service))"
    r"|your privacy choices|manage (?:cookies|consent|preferences)"
    r"|(?:accept|reject|allow)(?: all)?(?: cookies)?$|cookie (?:settings|policy|preferences)$",
    re.IGNORECASE,
)
_BUTTONS = re.compile(
    r"(?:share(?: (?:this|on|via)\b.{0,40})?|tweet|pin it|e-?mail|print|copy link|save|follow us\b.{0,40}"
    r"|facebook|twitter|x|linkedin|whatsapp|reddit|pinterest|telegram"
    r"|log ?in|sign ?(?:in|up)|register|subscribe(?: (?:now|to\b.{0,60}))?|sign up (?:for|to)\b.{0,60}"
    r"|advertisement|sponsored|skip to (?:main )?content|back to top|menu|search|home"
    r"|read (?:more|next)|load more|show (?:more|less)|leave a (?:comment|reply)|comments? ?(?:\(\d+\))?"
    r"|\d+ (?:comments?|shares?)|(?:previous|next)(?: (?:article|post|page))?"
    r"|all rights reserved\.?|(?:©|copyright\b).{0,80})[.:!]?",
    re.IGNORECASE,
)
_SEPARATED = re.compile(r"\s*(?:\||•|·|»|›)\s*")
_ENDS_A_SENTENCE = re.compile(r"[.!?]['\"”’)]*(?:\s|$)")


def without_furniture(text: str) -> str:
    """Removes cookie notices, buttons and rows of links from `text`. Blank lines separate its blocks."""
    return "\n\n".join(block for block in text.split("\n\n") if not _is_furniture(block.strip("# ")))


def _is_furniture(block: str) -> bool:
    if len(block) > _LONGEST or block.startswith(("|", "```")):  # a table, code
        return False
    if _COOKIES.match(block):
        return True
    parts = [part for part in _SEPARATED.split(block) if part]
    if parts and all(_BUTTONS.fullmatch(part) for part in parts):
        return True
    # A row of links: many short pieces, and no piece is a sentence.
    return (
        len(parts) > 3 and max(map(len, parts)) <= 30 and not any(_ENDS_A_SENTENCE.search(p) for p in parts)
    )
