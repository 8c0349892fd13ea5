"""Hypothesis strategies: configuration files as people write them, and worse."""

from __future__ import annotations

import json

from hypothesis import strategies as st

KEYS = ("hooks", "mcpServers", "servers", "SessionStart", "Stop", "BeforeAgent", "version", "other", "clé", "🗝", 'a"b', "")
TRIVIA = ("", "", "", " ", "\n", "\r\n", "\t", "\n\n  ", ' // note, { [ " ]\n', "/* c, } */", "/**/", "// x\r\n", "\n    ")
SCALARS = st.one_of(
    st.sampled_from(
        ["true", "false", "null", "0", "-1.5e+3", "12", '""', '"// no comment"', '"/* none */ \\" \\\\"', '"\\ud83d\\ude00 é"']
    ),
    st.text(max_size=6).map(json.dumps),
    st.text(max_size=6).filter(lambda text: text.isprintable() and '"' not in text and "\\" not in text).map(lambda text: f'"{text}"'),
)


@st.composite
def values(draw: st.DrawFn, depth: int = 3) -> str:
    """A value with blanks and comments all over."""
    kind = draw(st.sampled_from(["object", "array", "scalar"])) if depth else "scalar"
    return draw(SCALARS) if kind == "scalar" else draw(containers(kind, depth))


@st.composite
def containers(draw: st.DrawFn, kind: str, depth: int) -> str:
    gap = st.sampled_from(TRIVIA)
    parts: list[str] = []
    count = draw(st.integers(0, 4))
    for number in range(count):
        key = (
            f"{json.dumps(draw(st.sampled_from(KEYS)), ensure_ascii=draw(st.booleans()))}{draw(gap)}:{draw(gap)}"
            if kind == "object"
            else ""
        )
        comma = "," if number < count - 1 or draw(st.booleans()) else ""
        parts.append(f"{draw(gap)}{key}{draw(values(depth - 1))}{draw(gap)}{comma}")
    opening, closing = "{}" if kind == "object" else "[]"
    return f"{opening}{''.join(parts)}{draw(gap)}{closing}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A JSON file with an object in it; keys may repeat, places of ours may hold anything."""
    gap = st.sampled_from(TRIVIA)
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    return f"{mark}{draw(gap)}{draw(containers('object', 4))}{draw(gap)}{draw(st.sampled_from(['', chr(10)]))}"


LINES = (
    "a = 1",
    "# note [x] = \"'",
    "",
    "b = [\n  [1, 2], # ] not yet\n  [3],\n]",
    's = """\n[features]\nhooks = false\n"""',
    "t = '''\n[mcp_servers.memory-wire]\n'''",
    'u = "# no comment \\" ["',
    "v = 'C:\\' # path",
    'w = { x = 1, y = ["}"] }',
    "d = 1979-05-27T07:32:00Z",
    "é = 1",
    '"quo ted" = "ü"',
    "p.q = 3",
)
HEADS = (
    "[mcp_servers.other]",
    "[features]",
    "[ features ] # on",
    "[mcp_servers]",
    '["mcp_servers"."x y"]',
    "[[profiles]]",
    "[profiles.z]",
    "[tools]\n\n",
)


@st.composite
def tomls(draw: st.DrawFn) -> str:
    """A TOML file; not every one is valid."""
    line_end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    found = draw(st.lists(st.sampled_from(LINES), max_size=3, unique=True))
    for head in draw(st.lists(st.sampled_from(HEADS), max_size=4, unique=True)):
        found += [head, *draw(st.lists(st.sampled_from(LINES), max_size=3, unique=True))]
    return ("\n".join(found) + draw(st.sampled_from(["", "\n", "\n\n", "\n# end"]))).replace("\n", line_end)
