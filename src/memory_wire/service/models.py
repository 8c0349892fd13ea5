"""Which embedder and reranker a bank has, and how they are asked. The bank's configuration comes first, then the server's environment.

Loaded by banks with a model only. Who may name one runs the store: it is asked from here, with what the server may read and reach.
"""

from __future__ import annotations

import os

from msgspec import json

from memory_wire.errors import Forbidden, Invalid
from memory_wire.retrieve import embed
from memory_wire.service.rights import operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.embed import Model
    from memory_wire.service.service import Service
    from memory_wire.service.settings import Settings
    from memory_wire.types import Scope

FIELDS = ("embedder", "reranker")
VARIABLES = {"embedder": "MEMORY_WIRE_EMBEDDER", "reranker": "MEMORY_WIRE_RERANKER"}
HOW = (
    'none is configured; put {"embedder": {"kind": "endpoint", "url": "http://127.0.0.1:11434/v1", "model": "…"}} into the bank\'s'
    " configuration, or the inner object into MEMORY_WIRE_EMBEDDER; models in folders need: pip install 'memory-wire[dense]'"
)

_read: dict[tuple[str, str], Model | None] = {}


def of(settings: Settings, which: str) -> Model | None:
    """The bank's model, else the server's, else None. What can't be read is none: `fault` says why."""
    if which in settings.models:
        return settings.models[which]
    return default(which)


def default(which: str) -> Model | None:
    text = os.environ.get(VARIABLES[which], "")
    if not text:
        return None
    if (which, text) not in _read:
        _read.clear()
        try:
            _read[which, text] = embed.read(VARIABLES[which], text)
        except Invalid:
            _read[which, text] = None
    return _read[which, text]


def given(found: dict[str, object]) -> dict[str, Model | None]:
    """What a configuration says of models; a malformed value is none."""
    models: dict[str, Model | None] = {}
    for field in FIELDS:
        if field in found:
            try:
                models[field] = embed.read(field, found[field])
            except Invalid:
                models[field] = None
    return models


def check(body: bytes, former: bytes | None, scope: Scope) -> None:
    """A configuration that is put: its models must make sense, and only who runs the store names others. Raises Invalid, Forbidden."""
    found, before = json.decode(body), json.decode(former or b"{}")
    for field in FIELDS:
        if field not in found or found[field] == before.get(field):
            continue
        if embed.read(field, found[field]) is not None and not operator(scope.caller):
            raise Forbidden(f"{field}s are set by who runs the store")


def ask(service: Service, op: str, model: Model, payload: dict[str, object], seconds: float | None = None) -> dict[str, object]:
    """The child program's answer. Raises OutsideFailed, OutsideTimeout."""
    key = ""
    if model.key:
        from memory_wire.service.gateway import secret

        key = secret(f"key of the model to {op} with", model.key)
    return service.outside.ask(op, {"model": model.spec(key), **payload}, seconds or model.seconds or embed.SECONDS)
