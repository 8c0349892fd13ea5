"""The picture of a hub's graph: one SVG with a title, a description and a link on every node; no script, no style from elsewhere.

Sizes and places are the graph's; colours are left to `currentColor` and classes, so that a page's style sheet decides.
"""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire.public import graph as graphs
from memory_wire.public.atlas import Shown
from memory_wire.public.lines import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.public.graph import Graph, Node
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

SVG = "image/svg+xml"
MARGIN = 60.0
LABEL = 24  # characters
LABELLED = 60  # nodes that carry their titles; of more, bundles do
DOCUMENT, BUNDLE, GROWTH = 5.0, 11.0, 0.6
ALONE = ' xmlns="http://www.w3.org/2000/svg" color="#4477aa" font-family="sans-serif" font-size="12"'  # what a page gives it otherwise


def hub_picture(service: Service, request: p.ViewGraph, scope: Scope) -> p.Payload:
    """The payload of GET /hub/{slug}/graph.svg. Raises NotPublic."""
    with Shown(service, request.slug) as shown:
        body = svg(graphs.of(service, shown), alone=True)
    return p.Payload(body=body.encode(), type=SVG, headers={"x-hub-slug": request.slug}, cache=graphs.CACHE)


def svg(graph: Graph, alone: bool = False) -> str:
    """The picture; `alone`: a file of its own, with its few colours, else to be put into a page."""
    reach = max((max(abs(node.x), abs(node.y)) for node in graph.nodes), default=0.0) + MARGIN
    box = f"{-reach:g} {-reach:g} {2 * reach:g} {2 * reach:g}"
    by_id = {node.id: node for node in graph.nodes}
    parts = [
        f'<svg{ALONE if alone else ""} class="graph" role="group" viewBox="{box}" aria-labelledby="graph-title graph-desc">',
        f'<title id="graph-title">{escaped(graph.title)}</title>',
        f'<desc id="graph-desc">{escaped(summary(graph))}</desc>',
    ]
    parts.append('<g class="graph-edges">')
    for edge in graph.edges:
        one, other = by_id[edge.source], by_id[edge.target]
        width = round(0.5 + min(edge.weight, 2.0), 1)
        where = f'x1="{one.x:g}" y1="{one.y:g}" x2="{other.x:g}" y2="{other.y:g}"'
        parts.append(
            f'<line class="graph-edge graph-{edge.type}" {where} stroke="currentColor" stroke-opacity="0.35" stroke-width="{width:g}"/>'
        )
    parts.append('</g><g class="graph-nodes">')
    labelled = len(graph.nodes) <= LABELLED
    parts += [drawn(node, labelled or node.type == "bundle") for node in graph.nodes]
    parts.append("</g></svg>")
    return "\n".join(parts)


def drawn(node: Node, labelled: bool) -> str:
    """A node with its title; it leads to what it stands for."""
    size = round((BUNDLE if node.type == "bundle" else DOCUMENT) + min(node.degree, 10) * GROWTH, 1)
    title = escaped(node.title or "Untitled")
    mark = f'<circle class="graph-{node.type}" cx="{node.x:g}" cy="{node.y:g}" r="{size:g}" fill="currentColor"/>'
    text = ""
    if labelled:
        shown = node.title if len(node.title) <= LABEL else node.title[: LABEL - 1] + "…"
        text = f'<text x="{node.x:g}" y="{node.y + size + 13:g}" text-anchor="middle">{escaped(shown)}</text>'
    return f'<a href="{escaped(node.url)}"><title>{title}</title>{mark}{text}</a>'


def summary(graph: Graph) -> str:
    """The picture in words."""
    bundles = sum(node.type == "bundle" for node in graph.nodes)
    documents = counted(len(graph.nodes) - bundles, "document")
    more = " Only the newest are drawn." if graph.truncated else ""
    return f"{documents} and {counted(bundles, 'bundle')}, {counted(len(graph.edges), 'connection')} between them.{more}"


def escaped(text: str) -> str:
    """Text as XML shows it; control characters, which XML has no way to write, are left out."""
    kept = "".join(letter for letter in text if letter >= " " or letter in "\t\n")
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
