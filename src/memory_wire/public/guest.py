"""Pages for some: who is on a document's allow-list and brings a key, who has a link that was made for it, who knows its password.

Anybody else gets the one answer, but where the owner wants the page to ask for the password. No header says who somebody is: a key does,
through the address that an administrator gave its member. What is shown is kept by nobody.
"""

from __future__ import annotations

from msgspec import json

from memory_wire.errors import NotPublic
from memory_wire.public import html, page, rendered
from memory_wire.publishing import MARKDOWN, Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.guests import UnlockDoc
    from memory_wire.service.service import Service
    from memory_wire.store.guests import Shared
    from memory_wire.store.protocol import Tx
    from memory_wire.store.reader import Reader
    from memory_wire.types import Caller, Scope

CACHE = "private, no-store"


def opened(service: Service, id: str, link: str, scope: Scope, markdown: bool = False) -> Payload:
    """The page of a document for a guest, or the question for its password. Raises NotPublic."""
    spent = bool(link) and spend(service, id, link)
    with service.read() as reader:
        document = reader.guests.document(id)
        if document is None:
            raise NotPublic
        if not spent and not is_allowed(reader, document, scope.caller):
            if document.password is None or not document.asks or markdown:
                raise NotPublic
            return question(service, id)
        text = reader.guests.markdown(document)
    if markdown:
        return Payload(body=text, type=MARKDOWN, headers={"x-robots-tag": "noindex"}, cache=CACHE)
    return shown(service, document, text)


def spend(service: Service, id: str, link: str) -> bool:
    """Whether a link opens the document now; one of its uses is gone then."""
    from memory_wire.service.guests import hashed

    token, now = hashed(link), service.now()

    def work(tx: Tx) -> bool:
        return tx.guests.spend(token, id, now)

    return service.store.submit(work)


def is_allowed(reader: Reader, document: Shared, caller: Caller | None) -> bool:
    """Whether a key's member is on the document's allow-list, in the account that the document belongs to."""
    if caller is None or caller.member is None or document.allowed is None or caller.account != document.account:
        return False
    email = reader.guests.email(caller.member)
    return email is not None and email.strip().lower() in json.decode(document.allowed)


def unlock(service: Service, request: UnlockDoc, scope: Scope) -> Payload:
    """The payload of POST /unlock/{id}: a document's page when its password fits. It takes as long whatever is there. Raises NotPublic."""
    from memory_wire.service.passwords import password_fits

    with service.read() as reader:
        document = reader.guests.document(request.id)
        asks = document is not None and bool(document.asks)
        fits = password_fits(document.password if document is not None and asks else None, request.password)
        if document is None or not asks or document.password is None:
            raise NotPublic
        text = reader.guests.markdown(document) if fits else b""
    return shown(service, document, text) if fits else question(service, request.id, "That is not the password.")


def shown(service: Service, document: Shared, text: bytes) -> Payload:
    """The document alone: what stands around it is everybody's or nobody's business."""
    body = page.article(document, rendered.body_of(service, text, document.title))
    return private(service, html.Page(title=document.title, path=f"/{document.public_id}", body=body))


def question(service: Service, id: str, said: str = "") -> Payload:
    """Asks for the password."""
    note = f'<p class="note" role="alert">{html.escaped(said)}</p>\n' if said else ""
    body = (
        f'<h1>This document has a password</h1>\n{note}<form action="/unlock/{html.escaped(id)}" method="post">\n'
        '<p><label for="page:password">Password</label> '
        '<input id="page:password" name="password" type="password" autocomplete="current-password" required></p>\n'
        "<p><button>Open</button></p>\n</form>\n"
    )
    return private(service, html.Page(title="Password", path=f"/{id}", body=body))


def private(service: Service, found: html.Page) -> Payload:
    found.cache, found.index = CACHE, False
    return html.payload(service, found)
