"""Which documents, bundles and hubs a text points at: links, bare addresses and `[[titles]]`, outside of code. Used by gist.py.

A reference is one letter, a colon and a name: `d:` a document's id, `b:` a bundle's, `h:` a hub's slug, `w:` a title as written, `r:` the
path of a file beside the document's own.
"""

from __future__ import annotations

from memory_wire.config import SLUG_LEAST, SLUG_MOST

ID = 17  # letters and digits of a public id
NAMED_LEAST, NAMED_MOST = 6, 32  # of an id whose kind the path says
TITLE = 300  # characters of a title in brackets
SUFFIXES = (".md", ".txt")
NOTES = (".md", ".markdown", ".mdx")  # of files that links lead to
ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
SLUG_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
AROUND = "<>()[]{}\"'“”‘’«»,;!|*~"  # what may stand around a bare address
SPLITS = frozenset("<>()[]{}\"'“”‘’«»,;|")  # what may stand right before one


def reference(target: str) -> str | None:
    """What an address leads to, with or without a host; None for anything that isn't ours."""
    path = path_of(target)
    if path is None:
        return None
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    parts = path.split("/")
    if parts[0] == "raw":
        parts = ["b", *parts[2:]] if parts[1:2] == ["bundle"] else parts[1:]
    return of_parts(parts)


def of_parts(parts: list[str]) -> str | None:
    """A path's reference: `id`, `d/id`, `b/id`, `hub/slug` with whatever is below it, `@slug`."""
    head, name = parts[0], parts[1] if len(parts) > 1 else ""
    if head == "hub" and is_slug(name):
        return f"h:{name}"
    if len(parts) == 1 and head.startswith("@") and is_slug(head[1:]):
        return f"h:{head[1:]}"
    if len(parts) == 2 and head in ("d", "b") and NAMED_LEAST <= len(name) <= NAMED_MOST and ID_LETTERS.issuperset(name):
        return f"{head}:{name}"
    if len(parts) == 1 and len(head) == ID and head.isascii() and head.isalnum():
        return f"d:{head}"
    return None


def is_slug(name: str) -> bool:
    return SLUG_LEAST <= len(name) <= SLUG_MOST and SLUG_LETTERS.issuperset(name)


def path_of(target: str) -> str | None:
    """The path of an address, without slashes around it, query and fragment; None for other schemes and relative addresses."""
    bare = target.strip().partition("#")[0].partition("?")[0]
    scheme, sign, rest = bare.partition("://")
    if sign:
        if scheme.lower() not in ("http", "https"):
            return None
        host, _, path = rest.partition("/")
    elif bare.startswith("//"):
        host, _, path = bare[2:].partition("/")
    elif bare.startswith("/"):
        host, path = "-", bare[1:]
    else:
        host, _, path = bare.partition("/")
        name, colon, port = host.partition(":")
        if not ("." in name.strip(".") or name == "localhost") or (colon and not port.isdigit()):
            return None
    path = path.strip("/")
    return path if host and path and not set(host) & SPLITS else None


def references(text: str) -> list[str]:
    """What a text without code points at, each once, in order."""
    found: dict[str, None] = {}
    if "[[" in text:
        text = take_titles(text, found)
    if "](" in text:
        text = take_links(text, found)
    if "/" in text or "@" in text:
        for word in text.split():
            if "/" in word:
                take_bare(word, found)
    return list(found)


def take_titles(text: str, found: dict[str, None]) -> str:
    """Notes the titles in double brackets, without folder, heading and shown words; the text without them."""
    parts = text.split("[[")
    kept = [parts[0]]
    for part in parts[1:]:
        inner, sign, rest = part.partition("]]")
        title = inner.partition("|")[0].partition("#")[0].strip()
        if sign and "\n" not in inner and 0 < len(title) <= TITLE:
            found[f"w:{' '.join(title.split())}"] = None
            kept.append(rest)
        else:
            kept.append(part)
    return " ".join(kept)


def take_links(text: str, found: dict[str, None]) -> str:
    """Notes where the links of the text lead to; the text without that."""
    parts = text.split("](")
    kept = [parts[0]]
    for part in parts[1:]:
        target, rest = (part[1:].partition(">")[::2]) if part.startswith("<") else destination(part)
        ref = reference(target) or beside(target)
        if ref is not None:
            found[ref] = None
        kept.append(rest)
    return "] ".join(kept)


def beside(target: str) -> str | None:
    """The reference to a note by its path from where the document's own file is; None for other addresses."""
    path = unquoted(target.strip().partition("#")[0].partition("?")[0])
    if not path.lower().endswith(NOTES) or path.startswith("/") or ":" in path or len(path) > TITLE or "\n" in path:
        return None
    return f"r:{path}"


def unquoted(path: str) -> str:
    """A path without percent signs; what isn't UTF-8 stays as it is."""
    if "%" not in path:
        return path
    parts = path.encode().split(b"%")
    raw = parts[0]
    for part in parts[1:]:
        try:
            raw += bytes.fromhex(part[:2].decode()) + part[2:]
        except ValueError:
            raw += b"%" + part
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return path


def destination(part: str) -> tuple[str, str]:
    """A link's address, which ends at a blank or at a bracket that was not opened in it, and what is behind."""
    depth = 0
    for at, letter in enumerate(part):
        if letter == "(":
            depth += 1
        elif letter in " \n\t" or (letter == ")" and not depth):
            return part[:at], part[at:]
        elif letter == ")":
            depth -= 1
    return part, ""


def unlinked(text: str) -> str:
    """The text without addresses: of links the words stay."""
    if "](" in text:
        parts = text.split("](")
        text = "] ".join([parts[0], *(part.partition(">")[2] if part.startswith("<") else destination(part)[1] for part in parts[1:])])
    if "://" in text:
        text = " ".join(word for word in text.split(" ") if "://" not in word)
    return text


def take_bare(word: str, found: dict[str, None]) -> None:
    """Notes an address that stands in the text as it is."""
    at = max((word.rfind(letter, 0, word.index("/")) for letter in SPLITS), default=-1)
    ref = reference(word[at + 1 :].strip(AROUND).rstrip(".:?"))
    if ref is not None:
        found[ref] = None
