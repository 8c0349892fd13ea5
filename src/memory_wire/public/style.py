"""The style sheet of all pages, from the package."""

from __future__ import annotations

import os

from memory_wire.publishing import Payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Style
    from memory_wire.service.service import Service
    from memory_wire.types import Scope

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "hub", "hub.css")


def style(service: Service, request: Style, scope: Scope) -> Payload:
    """The file."""
    with open(FILE, "rb") as file:
        return Payload(body=file.read(), type="text/css; charset=utf-8", cache="public, max-age=3600")
