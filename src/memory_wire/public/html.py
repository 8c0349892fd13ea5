"""Pages of HTML: their frame, and the few pieces that several have. Everything that comes from documents goes through `escaped`.

No script, no style of its own, no address but ours: the policy that pages are served with allows nothing else.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.publishing import HTML, NEGOTIATED, Payload
from memory_wire.service import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.service.service import Service

MAIN = "page:main"  # no anchor of a document has a colon
DESCRIPTION = 200  # characters
SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="memory-wire">
<title>{title}</title>
{head}<link rel="icon" href="data:,">
<link rel="stylesheet" href="/hub.css">
</head>
<body>
<a class="skip" href="#{main}">Skip to content</a>
<header>
{top}</header>
<main id="{main}">
{body}</main>
<footer>
{foot}</footer>
</body>
</html>
"""


class Page(Struct, kw_only=True):
    """A page. `path` is its address, `raw` that of its markdown; `crumbs` are (title, path) of what it is in, `search` is a hub's path,
    `also` are (words, path) at the end.
    """

    title: str
    path: str
    body: str
    raw: str = ""
    description: str = ""
    crumbs: list[tuple[str, str]] = []
    search: str = ""
    query: str = ""
    hub: str = ""
    cache: str = "public, max-age=60"
    index: bool = True
    also: list[tuple[str, str]] = []


def payload(service: Service, page: Page) -> Payload:
    """The page as it is served."""
    canonical, raw = f"{service.origin}{page.path}", f"{service.origin}{page.raw}"
    head = []
    if page.description:
        head.append(f'<meta name="description" content="{escaped(cut(page.description))}">')
    if not page.index:
        head.append('<meta name="robots" content="noindex">')
    head.append(f'<link rel="canonical" href="{escaped(canonical)}">')
    links = [f'<{canonical}>; rel="canonical"']
    if page.raw:
        head.append(f'<link rel="alternate" type="text/markdown" href="{escaped(raw)}">')
        links.append(f'<{raw}>; rel="alternate"; type="text/markdown"')
    also = [("Markdown", page.raw), *page.also] if page.raw else page.also
    title = page.title if not page.hub or page.hub == page.title else f"{page.title} · {page.hub}"
    text = FRAME.format(
        title=titled(title),
        head="".join([line + "\n" for line in head]),
        main=MAIN,
        top=top(page),
        body=page.body,
        foot=f"<ul>{''.join([f'<li>{link(words, path)}</li>' for words, path in also])}</ul>\n" if also else "",
    )
    headers = {"link": ", ".join(links), "x-robots-tag": "all" if page.index else "noindex"}
    return Payload(body=text.encode(), type=HTML, headers=headers, cache=page.cache, vary=NEGOTIATED)


def top(page: Page) -> str:
    """Where the page stands, and the search of its hub."""
    entries = [f"<li>{link(title, path)}</li>" for title, path in page.crumbs]
    entries.append(f'<li aria-current="page">{titled(page.title)}</li>')
    found = f'<nav aria-label="Breadcrumb"><ol>{"".join(entries)}</ol></nav>\n'
    if page.search:
        found += (
            f'<form role="search" action="{escaped(page.search)}" method="get"><label for="page:q">Search this hub</label> '
            f'<input id="page:q" name="q" type="search" maxlength="2000" value="{escaped(page.query)}"> <button>Search</button></form>\n'
        )
    return found


# pieces ----------------------------------------------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    """The text as it stands in HTML, also within quotes; what no page may have becomes U+FFFD."""
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"), ("\0", "\ufffd")):
        if sign in text:
            text = text.replace(sign, name)
    return text


def titled(text: str) -> str:
    """A title, or what stands for none."""
    return escaped(text) if text.strip() else "Untitled"


def link(title: str, path: str) -> str:
    return f'<a href="{escaped(path)}">{titled(title)}</a>'


def then(at: int | None, path: str) -> str:
    """What a page of the past says of itself."""
    return f'<p class="note">As it was on {time(at)}. {link("As it is now", path)}</p>\n' if at is not None else ""


def time(at: int) -> str:
    """A moment as its day, exact for programs."""
    stamp = dates.stamp(at)
    return f'<time datetime="{stamp}">{stamp[:10]}</time>'


def section(id: str, title: str, body: str, tag: str = "section") -> str:
    """A part of a page under a heading; nothing for nothing."""
    return f'<{tag} aria-labelledby="page:{id}">\n<h2 id="page:{id}">{escaped(title)}</h2>\n{body}</{tag}>\n' if body else ""


def listed(entries: Iterable[str], tag: str = "ul", kind: str = "") -> str:
    """Entries, each of them HTML, as a list; nothing for none."""
    found = "".join([f"<li>{entry}</li>\n" for entry in entries])
    named = f' class="{kind}"' if kind else ""
    return f"<{tag}{named}>\n{found}</{tag}>\n" if found else ""


def counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def paragraphs(text: str | None) -> str:
    """Plain text as paragraphs."""
    parts = [" ".join(part.split()) for part in (text or "").replace("\r\n", "\n").split("\n\n")]
    return "".join([f"<p>{escaped(part)}</p>\n" for part in parts if part])


def quoted(text: str) -> str:
    """The text as a value in an address."""
    return "".join([chr(byte) if byte in SAFE else f"%{byte:02X}" for byte in text.encode("utf-8", "replace")])


def cut(text: str, most: int = DESCRIPTION) -> str:
    """The text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
