"""Scenarios of what everybody may read as markdown; as scenarios.py."""

from __future__ import annotations

from memory_wire import publishing as p
from memory_wire.client import Surface
from memory_wire.errors import NotPublic
from tests.surfaces.scenarios import refused, scenario

TEXT = "# Public\r\n\nThe engine starts.  \n\n```\ncode  \n```\n"


@scenario
def what_everybody_reads_as_markdown(s: Surface) -> None:
    id = s.create_doc(TEXT).id
    bundle = s.create_bundle("Reading", [(id, "why")]).id
    with refused(NotPublic, "not found"):
        s.raw_doc(id)
    with refused(NotPublic, "not found"):
        s.raw_hub("raw-hub", full=True)
    s.put_hub("raw-hub", public=True, display_name="Raw", description="Of everything.")
    assert TEXT.encode() in s.raw_doc(id).body and s.raw_doc(id).headers["x-document-id"] == id
    assert b"The engine starts.\n\n```\ncode  \n```\n" in s.raw_doc(id, compact=True).body
    assert s.raw_doc(id, at="2999-01-01") == s.raw_doc(id)
    assert s.raw_bundle(bundle).headers["x-digest"] == "true" and b"*why*" in s.raw_bundle(bundle).body
    assert TEXT.encode() in s.raw_bundle(bundle, full=True, graph=False).body
    assert f"- [Public](/{id})".encode() in s.raw_hub("raw-hub", full=True, since="2020-01-01").body
    index = s.hub_llms("raw-hub")
    assert index == s.call("raw_llms", p.HubText(slug="raw-hub")) and index.body.startswith(b"# Raw\n\n> Of everything.\n\n## Documents\n")
    assert s.hub_llms_full("raw-hub", compact=True) == s.call("raw_llms_full", p.HubText(slug="raw-hub", compact="yes"))
    s.set_access(id, is_draft=True)
    with refused(NotPublic, "not found"):
        s.raw_doc(id)
    with refused(NotPublic, "not found"):
        s.raw_bundle("nobody")
