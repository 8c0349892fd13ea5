"""The files of the viewer and of the editor: a plain page each, its style and its script, read from the package when they are asked for."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.serve.reply import Reply

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "ui")
FILES = {
    "ui": ("index.html", b"text/html; charset=utf-8"),
    "ui/ui.css": ("ui.css", b"text/css; charset=utf-8"),
    "ui/ui.js": ("ui.js", b"text/javascript; charset=utf-8"),
    "edit": ("edit.html", b"text/html; charset=utf-8"),
    "edit/{id}": ("edit.html", b"text/html; charset=utf-8"),
    "ui/edit.css": ("edit.css", b"text/css; charset=utf-8"),
    "ui/edit.js": ("edit.js", b"text/javascript; charset=utf-8"),
}
POLICY = (
    b"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    b"X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n"
)


def page(name: str) -> Reply:
    """One file with the headers that keep it to itself."""
    file, kind = FILES[name]
    with open(os.path.join(FOLDER, file), "rb") as opened:
        return 200, kind, opened.read(), POLICY
