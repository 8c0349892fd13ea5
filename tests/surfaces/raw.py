"""Scenarios of what everybody may read as markdown; as scenarios.py."""

from __future__ import annotations

from memory_wire import descriptions as n
from memory_wire import publishing as p
from memory_wire.client import Surface
from memory_wire.errors import Invalid, NotPublic, UnknownBundle, UnknownDocument, UnknownVersion
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
    assert s.raw_hub("raw-hub").headers["x-digest"] == "true"
    s.set_bundle_access(bundle, discoverable=True)
    assert f"- [Reading](/b/{bundle}) ([raw-hub](/hub/raw-hub), 1 document, ".encode() in s.raw_discover().body
    s.set_access(id, is_draft=True)
    with refused(NotPublic, "not found"):
        s.raw_doc(id)
    with refused(NotPublic, "not found"):
        s.raw_bundle("nobody")


@scenario
def what_models_make_of_documents(s: Surface) -> None:
    id = s.create_doc(TEXT).id
    bundle = s.create_bundle("Reading", [id]).id
    s.put_hub("described-hub", public=True)
    assert s.describe_doc(id, "some-model-1", summary="It starts.", questions=["When?"]) == n.Described(id=id, described=True)
    assert s.describe_bundle(bundle, "some-model-1", summary="One document.", gaps=["Others."]).described
    assert (
        b"### By a model\n\n> Made by some-model-1 on " in s.raw_doc(id).body and b"#### Open questions\n\n- When?\n" in s.raw_doc(id).body
    )
    assert b"## By a model\n\n" in s.raw_bundle(bundle).body and b"analysis_stale: false\n" in s.raw_bundle(bundle).body
    s.update_doc(id, append="more")
    assert b"; the text has changed since.\n" in s.raw_doc(id).body and b"analysis_stale: true\n" in s.raw_bundle(bundle).body
    assert not s.describe_doc(id).described and b"By a model" not in s.raw_doc(id).body
    with refused(Invalid, "invalid model: must say which model made it"):
        s.describe_doc(id, summary="x")
    with refused(UnknownVersion, "unknown version"):
        s.describe_doc(id, "m", summary="x", version=9)
    with refused(UnknownDocument, "unknown document"):
        s.describe_bundle(bundle, "m", summary="x", documents=["nobody"])
    with refused(UnknownBundle, "unknown bundle"):
        s.describe_bundle("nobody", "m", summary="x")
