"""Scenarios of the pages that everybody may read; as scenarios.py."""

from __future__ import annotations

from memory_wire.client import Surface
from tests.surfaces.scenarios import scenario


@scenario
def the_style_of_pages(s: Surface) -> None:
    style = s.style()
    assert style.type == "text/css; charset=utf-8" and style.etag and b"color-scheme" in style.body
