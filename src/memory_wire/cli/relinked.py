"""Addresses of a public hub as files of its exported site: links in pages and in Markdown lead to the files, or are taken out.

What a document's author wrote stays: in Markdown only what was made around the text is changed. Used by site.py.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Payload

HREF = re.compile(r'(<(?:a|link)\b[^>]*?\bhref=")([^"]*)(")')
ENTRY = re.compile(r'<li><a href="([^"]*)">[^<]*</a></li>')
FOOT = "<footer>"
SEARCH = re.compile(r'<form role="search".*?</form>\n?', re.DOTALL)
ASKING = re.compile(r'<a href="[^"]*\?q=[^"]*">([^<]*)</a>')
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
FIELD = re.compile(r'^(url|hub|source): "([^"]*)"$', re.MULTILINE)
NAME = 200  # bytes of a file's name without its suffix
BAD = ("/", "\\", "\0")
POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; img-src 'self' data:\">\n"
CHARSET = '<meta charset="utf-8">\n'


class Links:
    """The addresses of one hub. `origin` stands before them, `base` is where the site will be."""

    def __init__(self, slug: str, origin: str, base: str) -> None:
        self.slug, self.origin, self.base = slug, origin, base

    def path(self, url: str) -> str | None:
        """The path of an address of ours."""
        if self.origin and url.startswith(self.origin + "/"):
            return url[len(self.origin) :]
        return url if url.startswith("/") and not url.startswith("//") else None

    def concepts(self, html: str) -> set[str]:
        """The concepts that a page links to, by their slugs."""
        start = f"/hub/{self.slug}/c/"
        found = {unquote(path[len(start) :]) for _, url, _ in HREF.findall(html) if (path := self.path(url)) and path.startswith(start)}
        return {slug for slug in found if slug not in ("", ".", "..") and len(slug.encode()) < NAME and not any(bad in slug for bad in BAD)}

    def pages(self, html: str) -> int:
        """How many pages the hub's documents take."""
        last = re.search(r"<p>Page 1 of ([\d,]+)</p>", html)
        return int(last[1].replace(",", "")) if last is not None else 1


class Map:
    """From addresses to files. `files` are the names of all files of the site."""

    def __init__(self, links: Links, docs: list[str], bundles: list[str], concepts: list[str], pages: int) -> None:
        self.links = links
        hub = f"/hub/{links.slug}"
        self.pages_of = {hub: "index.html", f"{hub}?page=1": "index.html", f"{hub}/graph": "graph.html", f"{hub}/graph.svg": "graph.svg"}
        self.pages_of |= {"/hub.css": "hub.css", f"{hub}/llms.txt": "llms.txt", f"{hub}/llms-full.txt": "llms-full.txt"}
        self.pages_of |= {f"{hub}?page={number}": f"page/{number}.html" for number in range(2, pages + 1)}
        self.texts_of = {f"/raw{hub}": "index.md", f"/raw{hub}?full=1": "all.md"}
        for below, shown, raw, names in (
            ("", "", "", docs),
            ("b/", "b/", "bundle/", bundles),
            ("c/", f"hub/{links.slug}/c/", "", concepts),
        ):
            for name in names:
                at = f"/{shown}{quote(name, safe='')}"
                self.pages_of[at] = f"{below}{name}.html"
                self.texts_of[f"/raw{hub}/c/{quote(name, safe='')}" if below == "c/" else f"/raw/{raw}{name}"] = f"{below}{name}.md"
                self.texts_of[f"{at}.md"] = f"{below}{name}.md"
        self.files = {*self.pages_of.values(), *self.texts_of.values()}

    def file(self, url: str, markdown: bool) -> str | None:
        """The file that an address leads to with what is behind its `#`; of Markdown rather the Markdown. None: there is none."""
        path = self.links.path(url)
        if path is None:
            return None
        path, mark, anchor = path.partition("#")
        found = self.texts_of.get(path) or self.pages_of.get(path)
        if markdown and found is not None and found.endswith(".html"):
            found = found[:-5] + ".md" if found[:-5] + ".md" in self.files else found
        return None if found is None else found + mark + anchor

    def target(self, url: str, name: str, markdown: bool) -> str | None:
        """The link to it from the file of that name."""
        found = self.file(url, markdown)
        if found is None:
            return None
        file, mark, anchor = found.partition("#")
        where = f"{self.links.base}/" if self.links.base else "../" * name.count("/")
        return where + quote(file) + mark + anchor


def page(body: bytes, name: str, map: Map) -> bytes:
    """A page, or a picture, with links to the site's files; without what needs a server."""
    html, foot, more = SEARCH.sub("", body.decode()).partition(FOOT)
    more = ENTRY.sub(lambda entry: "" if map.links.path(entry[1]) and map.file(entry[1], False) is None else entry[0], more)
    html = ASKING.sub(r"\1", html).replace(CHARSET, CHARSET + POLICY) + foot + more

    def put(found: re.Match[str]) -> str:
        return found[1] + (map.target(found[2], name, False) or found[2]) + found[3]

    return HREF.sub(put, html).encode()


def text(payload: Payload, name: str, map: Map) -> bytes:
    """A Markdown payload; a document's own text in it stays byte for byte."""
    at = int(payload.headers.get("x-body-offset", "0"))
    end = at + int(payload.headers.get("x-body-length", "0"))
    return around(payload.body[:at], name, map) + payload.body[at:end] + around(payload.body[end:], name, map)


def texts(raw: bytes, name: str, map: Map) -> bytes:
    """All texts of a hub in one: only the addresses in the lines above each are changed."""
    return FIELD.sub(lambda found: field(found, name, map), raw.decode()).encode()


def around(raw: bytes, name: str, map: Map) -> bytes:
    """What was made around a text."""
    lines = texts(raw, name, map).decode()
    return LINK.sub(lambda found: f"]({map.target(found[1], name, True) or found[1]})", lines).encode()


def field(found: re.Match[str], name: str, map: Map) -> str:
    """A line of front matter: the page, as people see it."""
    return f'{found[1]}: "{map.target(found[2], name, False) or found[2]}"'
