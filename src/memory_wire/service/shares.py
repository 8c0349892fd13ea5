"""Shared chats of assistants: which addresses are taken, and what is asked of whom. Only a chat's id is used of the address that is given.

These are what the assistants' own pages ask for; a chat that is behind a challenge or was taken back can't be had.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire import config
from memory_wire.errors import Invalid, OutsideFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service

ID_LEAST, ID_MOST = 6, 64
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
AGENT = "Mozilla/5.0 (compatible; memory-wire)"
FORM = "application/x-www-form-urlencoded;charset=UTF-8"


class Share(Struct):
    """An assistant: where its shared chats are had, with `{id}`; `form` is sent there. `kind` is how the answer is read."""

    url: str
    shown: str
    kind: str = "chat"
    form: str = ""
    private: bool = False


CHATGPT = Share("https://chatgpt.com/backend-api/share/{id}", "https://chatgpt.com/share/{id}")
CLAUDE = Share("https://claude.ai/api/chat_snapshots/{id}?rendering_mode=messages&render_all_tools=true", "https://claude.ai/share/{id}")
GEMINI = Share(
    "https://gemini.google.com/_/BardChatUi/data/batchexecute?rpcids=ujx1Bf&rt=c",
    "https://gemini.google.com/share/{id}",
    "gemini",
    "f.req=%5B%5B%5B%22ujx1Bf%22%2C%22%5Bnull%2C%5C%22{id}%5C%22%2C%5B4%5D%5D%22%2Cnull%2C%22generic%22%5D%5D%5D",
)
PLACES = {
    "chatgpt.com/share/": CHATGPT,
    "chat.openai.com/share/": CHATGPT,
    "claude.ai/share/": CLAUDE,
    "gemini.google.com/share/": GEMINI,
    "g.co/gemini/share/": GEMINI,
}


def share_of(url: str) -> tuple[Share, str]:
    """The assistant and the chat's id. Raises Invalid for any other address."""
    scheme, mark, rest = url.strip().partition("://")
    place = next((place for place in PLACES if rest.startswith(place)), None)
    if scheme != "https" or not mark or place is None:
        raise Invalid("url", f"must be a shared chat: https:// and one of {', '.join(PLACES)}")
    id = rest[len(place) :].partition("?")[0].partition("#")[0].rstrip("/")
    if not ID_LEAST <= len(id) <= ID_MOST or not LETTERS.issuperset(id):
        raise Invalid("url", "has no chat's id")
    return PLACES[place], id


def fetched(service: Service, url: str) -> tuple[str, str, bytes]:
    """(address as it is shown, how it is read, what was answered). Raises Invalid, OutsideFailed."""
    share, id = share_of(url)
    asked: dict[str, object] = {
        "url": share.url.replace("{id}", id),
        "method": "POST" if share.form else "GET",
        "headers": {"User-Agent": AGENT, "Accept": "application/json"} | ({"Content-Type": FORM} if share.form else {}),
        "body": share.form.replace("{id}", id).encode() if share.form else None,
        "cap": config.SHARE_BYTES,
        "private": share.private,
    }
    answer = service.outside.ask("fetch", asked, config.SHARE_SECONDS)
    status, body = answer["status"], answer["body"]
    if status != 200 or not isinstance(body, bytes):
        raise OutsideFailed(f"the chat can't be had: status {status}")
    return share.shown.replace("{id}", id), share.kind, body
