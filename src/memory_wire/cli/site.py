"""`memory-wire hub export DIR`: a public hub as files that any web server can host, or a browser open: pages, Markdown, llms.txt, graph.

Written is what has changed, removed what an earlier export wrote and this one doesn't; other files are left alone. Two exports of the same
hub are the same bytes. There is no search, which needs a server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from hashlib import sha256

import msgspec

from memory_wire.cli.args import Usage, Value
from memory_wire.cli.relinked import Links, Map, page, text, texts
from memory_wire.cli.show import Progress, as_json, line
from memory_wire.cli.target import bank_name
from memory_wire.errors import Invalid, NotPublic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memory_wire.client import Client, Memory

    Target = Client | Memory

MANIFEST = "memory-wire-site.json"
PAGE = 500  # rows of a list
TEMPORARY = ".memory-wire-part"


def export(target: Target, values: dict[str, Value]) -> int:
    """`hub export DIR [--hub SLUG] [--base-url URL]`"""
    if values.get("slug") is None:
        raise Usage("hub export needs DIR")
    slug = hub_of(target, values)
    base = str(values["base_url"]).rstrip("/") if values.get("base_url") is not None else ""
    if base and not base.startswith(("http://", "https://")):
        raise Usage("--base-url begins with https:// or http://")
    site = Site(os.path.abspath(str(values["slug"])))
    files = Files(target, slug, base)
    site.begin(files.names())
    bar = Progress("export")
    for number, (name, body) in enumerate(files.all(), 1):
        site.write(name, body)
        bar(number, files.count)
    bar.close()
    site.end()
    if values.get("json"):
        as_json(
            {"hub": slug, "folder": site.root, "files": len(site.new), "written": site.written, "removed": site.removed, "left": site.left}
        )
    else:
        line(
            f"{slug}: {len(site.new):,} files, {site.written:,} written, {site.removed:,} removed  {os.path.join(site.root, 'index.html')}"
        )
        for name in site.left:
            line(f"  left, because it was changed since: {name}")
    return 0


def hub_of(target: Target, values: dict[str, Value]) -> str:
    """The hub that is named, else that of this place's bank. Raises Usage."""
    if values.get("hub") is not None:
        return str(values["hub"])
    bank = bank_name(values, target)
    held = target.hubs(bank=bank).hubs
    if not held:
        raise Usage(f"bank {bank} is no hub; --hub names one")
    return held[0].slug


class Files:
    """The files of a hub's site by name. Raises NotPublic where there is no such public hub."""

    def __init__(self, target: Target, slug: str, base: str) -> None:
        self.target, self.slug = target, slug
        first = target.page_hub(slug)
        origin = first.headers["link"].partition(">")[0].removeprefix("<").removesuffix(f"/hub/{slug}")
        bank = target.get_hub(slug).bank
        docs = sorted(row.id for row in rows(lambda at: target.docs(bank=bank, limit=PAGE, cursor=at), "docs") if row.public)
        bundles = sorted(row.id for row in rows(lambda at: target.bundles(bank=bank, limit=PAGE, cursor=at), "bundles") if row.public)
        graph = target.page_graph(slug)
        self.docs, self.bundles = docs, bundles
        self.links = Links(slug, origin, base)
        concepts = sorted(self.links.concepts(graph.body.decode()))
        self.pages = self.links.pages(first.body.decode())
        self.map = Map(self.links, docs, bundles, concepts, self.pages)
        self.concepts = concepts
        self.count = len(self.map.files)

    def names(self) -> list[str]:
        return sorted(self.map.files)

    def all(self) -> Iterator[tuple[str, bytes]]:
        """(name, bytes); what isn't public any more by now is left out."""
        target, slug = self.target, self.slug
        yield "hub.css", target.style().body
        for number in range(1, self.pages + 1):
            name = "index.html" if number == 1 else f"page/{number}.html"
            yield name, page(target.page_hub(slug, page=number).body, name, self.map)
        yield "graph.html", page(target.page_graph(slug).body, "graph.html", self.map)
        yield "graph.svg", page(target.hub_picture(slug).body, "graph.svg", self.map)
        yield "index.md", text(target.raw_hub(slug), "index.md", self.map)
        yield "all.md", text(target.raw_hub(slug, full=True), "all.md", self.map)
        yield "llms.txt", text(target.hub_llms(slug), "llms.txt", self.map)
        yield "llms-full.txt", texts(target.hub_llms_full(slug).body, "llms-full.txt", self.map)
        yield from self.each()

    def each(self) -> Iterator[tuple[str, bytes]]:
        """Documents, bundles, concepts: a page and a text each."""
        target, slug = self.target, self.slug
        kinds = (
            ("", self.docs, target.page_doc, target.raw_doc),
            ("b/", self.bundles, target.page_bundle, target.raw_bundle),
            ("c/", self.concepts, partial(target.page_concept, slug), partial(target.raw_concept, slug)),
        )
        for below, ids, shown, raw in kinds:
            for id in ids:
                try:
                    both = shown(id), raw(id)
                except NotPublic:
                    continue
                yield f"{below}{id}.html", page(both[0].body, f"{below}{id}.html", self.map)
                yield f"{below}{id}.md", text(both[1], f"{below}{id}.md", self.map)


def rows(ask: Callable[[str | None], Any], name: str) -> Iterator[Any]:
    """All rows of a list that comes in pages."""
    cursor = None
    while True:
        answer = ask(cursor)
        yield from getattr(answer, name)
        cursor = answer.cursor
        if cursor is None:
            return


class Written(msgspec.Struct):
    """What an export wrote: SHA-256 by name."""

    files: dict[str, str]


class Site:
    """A folder with an exported site. `left` are files of an earlier export that somebody has changed since."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.old: dict[str, str] = {}
        self.new: dict[str, str] = {}
        self.written = self.removed = 0
        self.left: list[str] = []
        try:
            with open(os.path.join(root, MANIFEST), "rb") as file:
                self.old = msgspec.json.decode(file.read(), type=Written).files
        except FileNotFoundError:
            pass
        except msgspec.DecodeError:
            raise Invalid("folder", f"{MANIFEST} in it can't be read") from None

    def begin(self, names: list[str]) -> None:
        """Makes the folder, and refuses to take the place of files that no export wrote. Raises Invalid, OSError."""
        os.makedirs(self.root, exist_ok=True)
        for name in names:
            if name not in self.old and os.path.lexists(self.path(name)):
                raise Invalid("folder", f"{name} is in it already and was not written by an export")
        self.note(self.old | dict.fromkeys((name for name in names if name not in self.old), ""))

    def path(self, name: str) -> str:
        return os.path.join(self.root, *name.split("/"))

    def note(self, files: dict[str, str]) -> None:
        """Keeps which files are ours."""
        body = msgspec.json.format(msgspec.json.encode(Written(dict(sorted(files.items())))), indent=1) + b"\n"
        self.put(MANIFEST, body)

    def write(self, name: str, body: bytes) -> None:
        """A file of the site, if it isn't there as it is."""
        self.new[name] = sha256(body).hexdigest()
        self.written += self.put(name, body)

    def put(self, name: str, body: bytes) -> bool:
        path = self.path(name)
        if not os.path.islink(path) and os.path.isfile(path):
            with open(path, "rb") as file:
                if file.read(len(body) + 1) == body:
                    return False
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + TEMPORARY, "wb") as file:
            file.write(body)
        os.replace(path + TEMPORARY, path)
        return True

    def end(self) -> None:
        """Removes what is no part of the site any more."""
        for name in sorted(self.old):
            if name in self.new or not proper(name):
                continue
            path = self.path(name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                if self.old[name] and sha256(file.read()).hexdigest() != self.old[name]:
                    self.left.append(name)
                    continue
            os.unlink(path)
            self.removed += 1
        self.note(self.new)


def proper(name: str) -> bool:
    """Whether a name of the manifest stays in the folder."""
    return all(part not in ("", ".", "..") for part in name.split("/")) and "\\" not in name and name != MANIFEST
