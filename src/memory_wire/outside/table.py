"""What the child program can do: operation -> (module, function, lane). Read by both sides; the module is loaded by the child's first use.

A function takes the payload and returns the answer, both of what msgpack can carry. Operations of the lane `model` share one child,
because what they load stays; those of the lane `fetch` wait most of their time, and several children do so at once; `build` is for what
takes minutes, `pages` for what people look at meanwhile.
"""

from __future__ import annotations

MODEL, FETCH, BUILD, PAGES = "model", "fetch", "build", "pages"
OPS: dict[str, tuple[str, str, str]] = {
    "convert": ("memory_wire.sources.pages", "convert", FETCH),
    "embed": ("memory_wire.outside.embedding", "embed", MODEL),
    "build_graph": ("memory_wire.outside.graphs", "build", BUILD),
    "fetch": ("memory_wire.outside.fetch", "fetch", FETCH),
    "http": ("memory_wire.outside.calling", "http_call", FETCH),
    "mcp": ("memory_wire.outside.calling", "mcp_call", FETCH),
    "render": ("memory_wire.outside.markdown", "render", PAGES),
    "nearest": ("memory_wire.outside.graphs", "nearest", MODEL),
    "rerank": ("memory_wire.outside.embedding", "rerank", MODEL),
}
