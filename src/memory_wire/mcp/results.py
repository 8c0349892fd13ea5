"""Responses as tool results: text for models that read only text, the same as structured content, and never more than a bound.

Used by tools.py. The text of a call is the compact JSON of what the HTTP route returns, except that recalled memories carry their date.
"""

from __future__ import annotations

from msgspec import to_builtins
from msgspec.json import decode

from memory_wire import config
from memory_wire import integrations as i
from memory_wire import types as t
from memory_wire.mcp.rpc import encode, tellable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from memory_wire import documents as d
    from memory_wire import questions as q
    from memory_wire.mcp.rpc import Json

    Row = TypeVar("Row", t.Hit, t.Item, t.RecordHit, d.DocHit)
    Values = Mapping[str, object]

UNDATED = "1970-01-01T00:00:00"  # what a memory without a date has
DAY = len("2026-01-02")
SOUND = "unverified"  # the status of a record that nothing speaks against
BANK_OVERHEAD = 70  # characters of a bank's row beside its name


def failure(text: str) -> Json:
    """A result that says what went wrong, so that a model can mend its call."""
    return {"content": [{"type": "text", "text": tellable(text)}], "isError": True}


def success(text: bytes, structured: Json, *notes: str) -> Json:
    """A result; notes that are no part of the value follow as texts of their own."""
    blocks = [{"type": "text", "text": text.decode()}, *({"type": "text", "text": note} for note in notes if note)]
    return {"content": blocks, "structuredContent": structured, "isError": False}


def bound(values: Values) -> int:
    """Tokens that the contents of a result may have: the default, or the budget that the call names up to a limit."""
    budget = values.get("budget")
    return min(budget, config.MCP_OUTPUT_MAX) if isinstance(budget, int) else config.MCP_OUTPUT


def fitting(contents: Sequence[str], most: int, skip: bool) -> list[tuple[int, str]]:
    """(position, content) of those that fit into so many tokens. A first one that alone is too long is cut; a later one that doesn't fit
    is passed over or, without `skip`, ends the list.
    """
    room = most * config.CHARS_PER_TOKEN
    kept: list[tuple[int, str]] = []
    for position, content in enumerate(contents):
        if len(content) <= room:
            kept.append((position, content))
            room -= len(content)
        elif not kept and room > len(config.TRUNCATED):
            return [(position, content[: room - len(config.TRUNCATED)] + config.TRUNCATED)]
        elif not skip:
            break
    return kept


def trimmed(rows: Sequence[Row], most: int, skip: bool) -> tuple[list[Row], bool]:
    """(the hits or items that fit, the last of them maybe cut; whether anything is missing)."""
    shown, cut = [], False
    for position, content in fitting([row.content for row in rows], most, skip):
        row = rows[position]
        cut = cut or content != row.content
        row.content = content
        shown.append(row)
    return shown, cut or len(shown) < len(rows)


def said(structured: Json, truncated: bool) -> Json:
    return {**structured, "truncated": True} if truncated else structured


def note(truncated: bool, mend: str) -> str:
    """What tells those who read only text that something is missing."""
    return f"truncated: {mend}" if truncated else ""


# one shape an operation ------------------------------------------------------------------------------------------------------------


def retained(response: t.Retained, values: Values, most: int, only: str | None) -> Json:
    found: Json = {"id": response.id}
    return success(encode(found), found)


def recalled(response: t.Recalled, values: Values, most: int, only: str | None) -> Json:
    """The text is an array of dated contents, or of whole hits with `format: full`; structured, each hit has id and date."""
    hits, cut = trimmed(response.hits, most, skip=True)
    cut = cut or response.truncated  # by the bank's or the call's budget
    if values.get("format") == "full":
        text = encode(hits)
        memories: object = hits
    else:
        text = encode([dated(hit) for hit in hits])
        memories = [brief(hit) for hit in hits]
    found = said({"memories": memories}, cut)
    if response.index:
        found["degraded"] = response.index
    missing = f"degraded: the index is {response.index}, memories may be missing" if response.index else ""
    return success(text, found, note(cut, "not all that matches fits; a larger `budget` shows more"), missing)


def dated(hit: t.Hit) -> str:
    """The content with its day before it, when it has one, and what is doubtful about a record."""
    doubts = [word for word in hit.statuses if word != SOUND] if isinstance(hit.statuses, list) else []
    content = f"({', '.join(doubts)}) {hit.content}" if doubts else hit.content
    return content if hit.created_at.startswith(UNDATED) else f"[{hit.created_at[:DAY]}] {content}"


def brief(hit: t.Hit) -> Json:
    """A hit as structured content; a record with its status."""
    found: Json = {"content": hit.content, "created_at": hit.created_at, "id": hit.id}
    return {**found, "status": hit.status} if isinstance(hit.status, str) else found


def reflected(response: str, values: Values, most: int, only: str | None) -> Json:
    return success(encode(response), {"answer": response})


def configured(response: bytes, values: Values, most: int, only: str | None) -> Json:
    text = response.decode()
    room = most * config.CHARS_PER_TOKEN
    if len(text) > room:
        return success((text[: room - len(config.TRUNCATED)] + config.TRUNCATED).encode(), said({}, True))
    found = decode(response)
    return success(encode(found), found)


def forgotten(response: t.Deleted, values: Values, most: int, only: str | None) -> Json:
    found: Json = {"deleted": response.deleted}
    return success(encode(found), found)


def listed(response: t.Page, values: Values, most: int, only: str | None) -> Json:
    shown, cut = trimmed(response.items, most, skip=False)
    cut = cut or response.truncated > 0
    mend = "long memories are cut, memory_recall gives them whole; the next page begins behind the last one shown"
    return success(encode(shown), said({"memories": shown, "total": response.total}, cut), note(cut, mend))


def banks(response: t.Banks, values: Values, most: int, only: str | None) -> Json:
    """All banks, or the one that the endpoint is pinned to."""
    rows = [row for row in response.banks if only is None or row.bank == only]
    room = most * config.CHARS_PER_TOKEN
    shown: list[t.BankRow] = []
    for row in rows:
        room -= len(row.bank) + BANK_OVERHEAD
        if room < 0:
            break
        shown.append(row)
    cut = len(shown) < len(rows)
    found = said({"banks": shown}, cut)
    return success(encode(found), found, note(cut, f"{len(rows)} banks in all"))


def found_records(response: t.SearchResults, values: Values, most: int, only: str | None) -> Json:
    """Records in full, as many as fit; what can't be said of one is null."""
    shown, cut = trimmed(response.results, most, skip=True)
    found = said({"results": shown, "meta": response.meta}, cut)
    return success(encode(found), found, note(cut, "not all that matches fits; a smaller `limit` or a narrower query shows the rest"))


def read(response: d.Doc, values: Values, most: int, only: str | None) -> Json:
    """A document's text as it is; an outline, and what is known of the document, as an object."""
    found: Json = to_builtins(response)
    if "markdown" not in found:
        return success(encode(found), found)
    more = f"go on with offset {response.next}" if isinstance(response.next, int) else ""
    said_of = f"{response.id}, version {response.version}, {response.chars} characters"
    return success(str(response.markdown).encode(), found, said_of, note(bool(more), more))


def found_docs(response: d.DocHits, values: Values, most: int, only: str | None) -> Json:
    """Chunks with where they stand, as many as fit."""
    shown, cut = trimmed(response.results, most, skip=True)
    found = said({"results": shown, "degraded": response.degraded}, cut)
    return success(encode(found), found, note(cut, "not all that matches fits; doc_read gives a section whole"))


def answered(response: q.HubRecalled, values: Values, most: int, only: str | None) -> Json:
    """What a hub answers, as many of its results as fit."""
    kept = fitting([to_text(row) for row in response.results], most, skip=True)
    cut = response.truncated or len(kept) < len(response.results)
    response.results = [response.results[place] for place, _ in kept]
    response.truncated = cut
    found: Json = to_builtins(response)
    return success(encode(found), found, note(cut, "not all that matches fits; a smaller `k` or a narrower question shows the rest"))


def to_text(row: q.ChunkFound | q.DocFound | q.BundleFound) -> str:
    """The text of a result that takes the room."""
    return str(getattr(row, "markdown", None) or getattr(row, "snippet", None) or getattr(row, "description", ""))


def whole(response: object, values: Values, most: int, only: str | None) -> Json:
    """The response as it is."""
    found: Json = to_builtins(response)
    return success(encode(found), found)


def called(response: i.GatewayAnswer, values: Values, most: int, only: str | None) -> Json:
    """What the integration says; too much of it is cut, and then is in the text only."""
    text, room = encode(response.result).decode(), most * config.CHARS_PER_TOKEN
    cut = len(text) > room
    if cut:
        text = text[: room - len(config.TRUNCATED)] + config.TRUNCATED
    told: Json = {"server": response.server, "tool": response.tool, "ok": response.ok, "status": response.status}
    found = said(told if cut else {**told, "result": response.result}, cut)
    return {**success(text.encode(), found, note(cut, "ask for less")), "isError": not response.ok}


SHAPES: dict[str, Callable[..., Json]] = {
    "retain": retained,
    "recall": recalled,
    "reflect": reflected,
    "get_config": configured,
    "forget": forgotten,
    "memories": listed,
    "banks": banks,
    "remember": whole,
    "search": found_records,
    "validate_memory": whole,
    "forget_record": whole,
    "gateway_call": called,
    "read_doc": read,
    "write_doc": whole,
    "search_docs": found_docs,
    "hub_recall": answered,
}
