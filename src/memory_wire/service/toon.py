"""TOON text of a page of memories (`format=toon`): a count line, then a table, or a list when only some rows have a context.

Pure functions of the response; used by the HTTP server.
"""

from __future__ import annotations

from memory_wire.types import Item, Page

QUOTED = frozenset(',:"\\[]{}')
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
WORDS = frozenset(("true", "false", "null"))


def encode(page: Page) -> str:
    """The page as TOON, without a trailing newline."""
    lines = [f"total: {page.total}"]
    if page.truncated:
        lines.append(f"content_truncated: {page.truncated}")
    items = page.items
    if not items:
        return "\n".join([*lines, "memories: []"])
    contexts = sum(item.context is not None for item in items)
    if contexts in (0, len(items)):
        lines += table(items, contexts > 0)
    else:
        lines += listing(items)
    return "\n".join(lines)


def table(items: list[Item], contexts: bool) -> list[str]:
    """Tabular form: the field names once, a comma-separated row each."""
    lines = [f"memories[{len(items)}]{{id,created_at,content{',context' if contexts else ''}}}:"]
    for item in items:
        cells = [item.id, item.created_at, item.content] + ([item.context] if item.context is not None else [])
        lines.append("  " + ",".join([quote(cell) for cell in cells]))
    return lines


def listing(items: list[Item]) -> list[str]:
    """List form: rows that differ in their fields."""
    lines = [f"memories[{len(items)}]:"]
    for item in items:
        lines.append(f"  - id: {quote(item.id)}")
        lines.append(f"    created_at: {quote(item.created_at)}")
        lines.append(f"    content: {quote(item.content)}")
        if item.context is not None:
            lines.append(f"    context: {quote(item.context)}")
    return lines


def quote(text: str) -> str:
    """The string as it stands, or quoted and escaped where TOON would read it as something else."""
    if plain(text):
        return text
    return '"' + "".join([escape(character) for character in text]) + '"'


def escape(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " or character == "\x7f" else character


def plain(text: str) -> bool:
    """Whether the string needs no quotes."""
    if not text or text != text.strip() or text in WORDS or text[0] in "-#" or numeric(text):
        return False
    return not any(character in QUOTED or character < " " or character == "\x7f" for character in text)


def numeric(text: str) -> bool:
    """Whether it looks like a number: digits with an optional fraction and exponent (a sign needs quotes anyway)."""
    head, _, exponent = text.lower().partition("e")
    whole, dot, fraction = head.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (dot and not (fraction.isascii() and fraction.isdigit())):
        return False
    return "e" not in text.lower() or (exponent.lstrip("+-").isdigit() and exponent.isascii())
