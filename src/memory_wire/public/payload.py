"""Markdown payloads: front matter, links, headers that say how much it is. Used by every raw surface."""

from __future__ import annotations

from msgspec import json

from memory_wire import config
from memory_wire.hub.compact import compacted
from memory_wire.publishing import MARKDOWN, Payload
from memory_wire.service import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_wire.service.service import Service

TRUE = frozenset(("1", "true", "yes", "on"))
FALSE = frozenset(("0", "false", "no", "off"))
BREAKS = (("\x7f", "\\u007f"), ("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))  # lines end there for YAML
ESCAPED = "\\[]<>`*"
PAGE_SECONDS, HUB_SECONDS, TEXT_SECONDS = 60, 120, 300  # that documents and bundles, hubs, and texts of whole hubs may be kept
NOINDEX = {"x-robots-tag": "noindex"}
CUT = {"x-truncated": "true"}


def truthy(value: str) -> bool:
    """Whether a parameter of a query says yes."""
    return value.strip().lower() in TRUE


def falsy(value: str) -> bool:
    """Whether a parameter of a query says no; one that isn't there says neither."""
    return value.strip().lower() in FALSE


def moment(value: str) -> int | None:
    """The time that a parameter names; None for what is none."""
    try:
        return dates.parse(value.strip()) if value else None
    except ValueError:
        return None


def address(service: Service, path: str) -> str:
    """A path of ours as it stands in payloads."""
    return f"{service.origin}{path}"


# text ------------------------------------------------------------------------------------------------------------------------------


def matter(pairs: Iterable[tuple[str, str | int | bool | None]]) -> str:
    """Front matter (YAML) of what isn't None, with an empty line behind it."""
    lines = [
        f"{name}: {quoted(value) if isinstance(value, str) else json.encode(value).decode()}\n"
        for name, value in pairs
        if value is not None
    ]
    return f"---\n{''.join(lines)}---\n\n"


def quoted(text: str) -> str:
    """A text as a scalar of YAML and of JSON."""
    found = json.encode(text).decode()
    for letter, escape in BREAKS:
        if letter in found:
            found = found.replace(letter, escape)
    return found


def one_line(text: str) -> str:
    """A text without line ends."""
    return " ".join(text.split())


def escaped(text: str) -> str:
    """A text on one line in which nothing is markup."""
    return "".join(["\\" + letter if letter in ESCAPED else letter for letter in one_line(text)])


def linked(text: str, url: str) -> str:
    return f"[{escaped(text) or url}]({url})"


def shareable(source: str | None) -> str | None:
    """Where a text comes from, if that is an address on the web; paths and names of the owner's machine are nobody else's business."""
    scheme, _, rest = (source or "").partition("://")
    return source if scheme in ("http", "https") and "@" not in rest.partition("/")[0] else None


def documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"


def body_of(raw: bytes, compact: bool) -> bytes:
    """A document's text as it is put into a payload: byte for byte, or made compact."""
    return compacted(raw.decode()).encode() if compact else raw


def apart(raw: bytes) -> bytes:
    """Line ends that keep what follows from being part of a text."""
    return b"\n" if raw.endswith((b"\n", b"\r")) or not raw else b"\n\n"


# payload ---------------------------------------------------------------------------------------------------------------------------


def markdown(
    body: bytes | str,
    headers: dict[str, str],
    *,
    canonical: str = "",
    compact: bool = False,
    digest: bool = False,
    seconds: int = PAGE_SECONDS,
    type: str = MARKDOWN,
) -> Payload:
    """The payload of a markdown text. Its tokens are estimated as a quarter of its characters."""
    text = body.encode() if isinstance(body, str) else body
    told = {
        "x-token-estimate": str(-(-len(text.decode()) // config.CHARS_PER_TOKEN)),
        "x-byte-length": str(len(text)),
        "x-compact": "true" if compact else "false",
        "x-digest": "true" if digest else "false",
        **headers,
    }
    if canonical:
        told["link"] = f'<{canonical}>; rel="canonical"'
    return Payload(body=text, type=type, headers=told, cache=f"public, max-age={seconds}")
