"""Markdown to HTML in the child program, so that no server loads a parser of it. Safe by construction: what goes out is made of fixed
elements and escaped text. Raw HTML is shown as the text it is, links go to known schemes, and nothing is fetched by whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
SCHEMES = frozenset(("http", "https", "mailto"))
PICTURE = re.compile(r"data:image/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=%]*")
NOTE = re.compile(r"(?!/)[^:]*\.(?:md|markdown|mdx)", re.IGNORECASE)  # a file beside the document's own
WIKI = re.compile(r"\[\[([^\[\]\n|#]+)(?:#[^\[\]\n|]*)?(?:\|([^\[\]\n]+))?\]\]")
ALIGN = re.compile(r"text-align:(left|center|right)")


def render(payload: dict[str, Any]) -> dict[str, object]:
    """{"text", "anchors": {line, counted from 0: id of the heading there}, "lead": line of a heading to leave out, or -1,
    "leads": {`w:` and a title or `r:` and a path: address}} -> {"html"}.
    """
    text = payload["text"]
    tokens = MARKDOWN.parse(text if text.endswith("\n") else f"{text}\n")  # it fails at some texts that end within a line of HTML
    lead, anchors = payload["lead"], payload["anchors"]
    if lead >= 0 and len(tokens) > 2 and tokens[0].type == "heading_open" and (tokens[0].map or [-1])[0] == lead:
        del tokens[:3]
    for token in tokens:
        if token.type == "heading_open" and token.level == 0 and token.map is not None and token.map[0] in anchors:
            token.meta["anchor"] = anchors[token.map[0]]
    return {"html": MARKDOWN.renderer.render(tokens, MARKDOWN.options, {"leads": payload.get("leads", {})})}


def is_allowed(url: str) -> bool:
    """Whether something may point there: relative, or of a scheme that only shows or writes to somebody. Pictures may be in the text."""
    named = SCHEME.match(url)
    return named is None or named[1].lower() in SCHEMES or PICTURE.fullmatch(url) is not None


class Renderer(RendererHTML):
    """The library's, with everything that carries an address or foreign markup made here."""

    def html_block(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        text = tokens[place].content.strip()
        return "" if is_comment(text) else f'<pre class="raw" tabindex="0"><code>{escapeHtml(text)}</code></pre>\n'

    def html_inline(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        text = tokens[place].content
        return "" if is_comment(text) else escapeHtml(text)

    def heading_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        token = tokens[place]
        anchor = token.meta.get("anchor")
        return f'<{token.tag} id="{escapeHtml(anchor)}">' if anchor else f"<{token.tag}>"

    def heading_close(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        token, anchor = tokens[place], tokens[place - 2].meta.get("anchor")
        link = f' <a class="anchor" href="#{escapeHtml(anchor)}" aria-hidden="true" tabindex="-1">#</a>' if anchor else ""
        return f"{link}</{token.tag}>\n"

    def text(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        content = tokens[place].content
        if "[[" not in content or env.get("links"):
            return escapeHtml(content)
        found, at = [], 0
        for match in WIKI.finditer(content):
            address = env["leads"].get(f"w:{' '.join(match[1].split())}")
            if address is not None:
                words = escapeHtml((match[2] or match[1]).strip())
                found += [escapeHtml(content[at : match.start()]), f'<a href="{escapeHtml(address)}">{words}</a>']
                at = match.end()
        return "".join(found) + escapeHtml(content[at:])

    def link_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        href = str(tokens[place].attrGet("href") or "")
        env["links"] = env.get("links", 0) + 1
        if PICTURE.fullmatch(href) or not is_allowed(href):
            href = "#"
        path, sign, anchor = href.partition("#")
        if NOTE.fullmatch(path):
            address = env["leads"].get(f"r:{unquote(path)}")
            if address is None:
                return f"<a{titled(tokens[place])}>"  # to what isn't there
            href = f"{address}{sign}{anchor}"
        away = ' rel="nofollow noopener noreferrer"' if SCHEME.match(href) or href.startswith(("//", "\\")) else ""
        return f'<a href="{escapeHtml(href)}"{titled(tokens[place])}{away}>'

    def link_close(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        env["links"] -= 1
        return "</a>"

    def image(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        token = tokens[place]
        source = str(token.attrGet("src") or "")
        words = escapeHtml(self.renderInlineAsText(token.children, options, env)) if token.children else ""
        if PICTURE.fullmatch(source):
            return f'<img src="{escapeHtml(source)}" alt="{words}"{titled(token)}>'
        words = words or "picture"
        if env.get("links"):  # within a link
            return f"<em>{words}</em>"
        if not is_allowed(source):
            return words
        return f'<a class="picture" href="{escapeHtml(source)}" rel="nofollow noopener noreferrer">{words}</a>'

    def table_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        return '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        return cell(tokens[place])

    td_open = th_open

    def code_block(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        return f'<pre tabindex="0"><code>{escapeHtml(tokens[place].content)}</code></pre>\n'

    def fence(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        words = tokens[place].info.split()
        named = f' class="language-{escapeHtml(words[0])}"' if words else ""
        return f'<pre tabindex="0"><code{named}>{escapeHtml(tokens[place].content)}</code></pre>\n'


def is_comment(text: str) -> bool:
    return text.startswith("<!--") and text.find("-->", 4) == len(text) - 3


def titled(token: Token) -> str:
    title = token.attrGet("title")
    return f' title="{escapeHtml(str(title))}"' if title else ""


def cell(token: Token) -> str:
    """A cell of a table; its alignment as a class, since the policy of pages allows no style."""
    found = ALIGN.search(str(token.attrGet("style") or ""))
    scope = ' scope="col"' if token.tag == "th" else ""
    return f'<{token.tag}{scope} class="{found[1]}">' if found else f"<{token.tag}{scope}>"


MARKDOWN = MarkdownIt("commonmark", {"html": True}, renderer_cls=Renderer).enable("table")
MARKDOWN.validateLink = is_allowed  # type: ignore[method-assign]
