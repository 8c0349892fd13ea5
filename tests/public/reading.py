"""Reads pages of HTML as strictly as tests need it: every element closed, every attribute known, every address somewhere."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "img", "br", "hr"}
SVG = {"svg", "title", "desc", "g", "line", "circle", "text", "path", "rect"}
FRAME = {
    "html",
    "head",
    "body",
    "header",
    "main",
    "footer",
    "aside",
    "article",
    "section",
    "nav",
    "form",
    "label",
    "button",
    "figure",
    "small",
}
TEXT = {
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "a", "em", "strong", "code", "pre", "blockquote", "table", "thead", "tbody",
    "tr", "th", "td", "div", "time",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "name", "content", "rel", "href", "type", "class", "id", "aria-label", "aria-labelledby", "aria-current", "role",
    "autocomplete", "required",
    "action", "method", "for", "maxlength", "value", "datetime", "title", "alt", "src", "scope", "tabindex", "aria-hidden", "start",
    "viewbox", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "fill", "stroke", "stroke-opacity", "stroke-width", "text-anchor",
}  # fmt: skip
SCHEMES = ("http://", "https://", "mailto:")


class Read(HTMLParser):
    """`links` are the addresses that are led to, `fetched` those that a browser fetches by itself; `faults` what is wrong."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.faults: list[str] = []
        self.words: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]
        self.faults += [f"id {id} twice" for id in {id for id in self.ids if self.ids.count(id) > 1}]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag not in VOID | SVG | FRAME | TEXT:
            self.faults.append(f"<{tag}>")
        self.faults += [f"{name}={value!r}" for name, value in found.items() if name not in ATTRIBUTES]
        if len(found) != len(attrs):
            self.faults.append(f"<{tag}> says something twice")
        if tag == "a" and "a" in self.open:
            self.faults.append("a link in a link")
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links += [found["href"]] if "href" in found else []
        elif "href" in found and found.get("rel") in ("stylesheet", "icon"):
            self.fetched.append(found["href"])
        if "src" in found:
            self.fetched.append(found["src"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> in {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data!r}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"declaration {data!r}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def foreign(address: str) -> bool:
    """Whether an address that is led to is neither of a known scheme nor ours."""
    plain = "".join(sign for sign in address if sign > " ").lower()  # browsers skip them
    scheme, colon, _ = plain.partition(":")
    return bool(colon) and not scheme.strip("abcdefghijklmnopqrstuvwxyz0123456789+.-") and not plain.startswith(SCHEMES)
