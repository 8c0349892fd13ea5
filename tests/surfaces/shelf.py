"""Scenarios of documents, bundles and hubs; as scenarios.py."""

from __future__ import annotations

from memory_wire import bundles as b
from memory_wire import documents as d
from memory_wire.client import Surface
from memory_wire.errors import (
    Invalid,
    LimitRange,
    NameTaken,
    QueryEmpty,
    SectionAmbiguous,
    UnknownBank,
    UnknownBundle,
    UnknownDocument,
    UnknownHub,
    UnknownSection,
    UnknownVersion,
    VersionMismatch,
)
from tests.surfaces.scenarios import refused, scenario

GUIDE = "---\ntags: [ops]\n---\n# Guide\r\n\nintro\n\n## Setup\n\ninstall the engine  \n\n## Use\n\nrun it"


@scenario
def documents_and_their_parts(s: Surface) -> None:
    assert s.docs() == d.DocList(docs=[], total=0, cursor=None)
    made = s.create_doc(GUIDE, source="https://example.org/guide")
    assert (made.bank, made.title, made.version, made.url) == (s.bank, "Guide", 1, f"/{made.id}")
    assert made.chunks == d.Chunks(total=3, indexed=3)
    found = s.read_doc(made.id)
    assert (found.markdown, found.chars, found.bytes, found.gates, found.public) == (GUIDE, len(GUIDE), len(GUIDE), ["hub"], False)
    (hit,) = s.recall("engine")
    assert (hit.document, hit.breadcrumb, hit.anchor, hit.tags) == (made.id, "Guide > Setup", "setup", ["ops"])
    assert [(hit.id, hit.document, hit.first_line) for hit in s.search_docs("engine").results] == [(hit.id, made.id, 8)]
    assert s.search_docs("engine", id=made.id, tags=["ops"]).results[0].url == f"/{made.id}#setup"
    with refused(QueryEmpty, "query must say something"):
        s.search_docs(" ")
    with refused(LimitRange, "limit must be 1 to 50"):
        s.search_docs("x", limit=51)
    other = s.create_doc(GUIDE)
    assert other.id != made.id and s.docs().total == 2
    page = s.docs(limit=1)
    assert [row.id for row in page.docs] == [other.id]
    assert [row.id for row in s.docs(limit=1, cursor=page.cursor).docs] == [made.id]
    with refused(Invalid, "invalid cursor: is none that was given"):
        s.docs(cursor="x")
    with refused(UnknownDocument, "unknown document"):
        s.read_doc("nobody")
    with refused(UnknownDocument, "unknown document"):
        s.read_doc(made.id, bank="another")
    with refused(Invalid, "invalid markdown: must not contain NUL"):
        s.create_doc("\0")


@scenario
def parts_of_documents(s: Surface) -> None:
    id = s.create_doc("# A\n\none\n\n## B\n\ntwo\n\n### C\n\nthree\n\n## B\n\nfour\n").id
    assert s.read_doc(id, section="C").markdown == "### C\n\nthree\n\n"
    assert s.read_doc(id, section="A > B", occurrence=1, subtree=True).markdown == "## B\n\ntwo\n\n### C\n\nthree\n\n"
    part = s.read_doc(id, section="#b-1")
    assert (part.markdown, part.first_line, part.last_line) == ("## B\n\nfour\n", 13, 15)
    assert s.read_doc(id, lines="5-7").markdown == "## B\n\ntwo\n"
    cut = s.read_doc(id, offset=5, limit=3)
    assert (cut.markdown, cut.truncated, cut.next) == ("one", True, 8)
    outline = s.read_doc(id, outline=True).outline
    assert isinstance(outline, list)
    assert [(one.level, one.path, one.anchor, one.occurrence, one.subtree_last_line) for one in outline] == [
        (1, "A", "a", 1, 16), (2, "A > B", "b", 1, 12), (3, "A > B > C", "c", 1, 12), (2, "A > B", "b-1", 2, 16),
    ]  # fmt: skip
    with refused(UnknownSection, "unknown section 'D'; the outline names the document's sections"):
        s.read_doc(id, section="D")
    with refused(SectionAmbiguous, "invalid section: 'B': 2 sections are called that, at lines 5, 13; `occurrence` says which"):
        s.read_doc(id, section="B")
    with refused(Invalid, "invalid lines: must be first-last, counted from 1"):
        s.read_doc(id, lines="0-3")


@scenario
def a_preview_keeps_nothing(s: Surface) -> None:
    shown = s.preview_doc("# Guide\n\nThe *engine* <b onclick=x>runs</b>.\n\n## Use\n")
    assert (shown.title, shown.plain) == ("Guide", False)
    assert "<em>engine</em> &lt;b onclick=x&gt;runs&lt;/b&gt;." in shown.html and "<h2" in shown.html and "<h1" not in shown.html
    assert "<h1" in s.preview_doc("# Guide\n", title="Another").html
    assert s.docs() == d.DocList(docs=[], total=0, cursor=None)
    with refused(Invalid, "invalid markdown: must not contain NUL"):
        s.preview_doc("\0")


@scenario
def versions_of_documents(s: Surface) -> None:
    id = s.create_doc("# A\n\none\n\n## B\n\ntwo\n").id
    assert s.update_doc(id, append="three").version == 2
    assert s.update_doc(id, prepend="zero", if_version=2).version == 3
    with refused(VersionMismatch, "the document is at version 3; read it again and repeat the change"):
        s.update_doc(id, replace="lost", if_version=2)
    s.update_doc(id, replace_section=d.ReplaceSection(heading="B", markdown="2"))
    assert s.read_doc(id).markdown == "zero\n\n# A\n\none\n\n## B\n\n2"
    assert s.write_doc("## B\n\nthree", id=id, mode="section", section="B").version == 5
    assert s.write_doc("new document").version == 1
    with refused(Invalid, "invalid id: says which document is changed; without it a new one is made"):
        s.write_doc("x", mode="append")
    with refused(Invalid, "invalid mode: an existing document is changed by one of replace, append, prepend, section"):
        s.write_doc("x", id=id)
    with refused(Invalid, "invalid append: only one of replace, append, prepend, replace_section can be asked for"):
        s.update_doc(id, replace="x", append="y")
    with refused(Invalid, "invalid replace: one of replace, append, prepend, replace_section, title and source must be given"):
        s.update_doc(id)
    history = s.doc_versions(id, limit=4)
    assert [(row.version, row.made) for row in history.versions] == [(5, "section"), (4, "section"), (3, "prepend"), (2, "append")]
    assert [row.version for row in s.doc_versions(id, cursor=history.cursor).versions] == [1]
    change = s.diff_doc(id, old=1, new=2)
    assert (change.added, change.deleted, change.diff) == (
        2, 0, "@@ -5,3 +5,5 @@\n ## B\n \n two\n+\n+three\n\\ No newline at end of file\n",
    )  # fmt: skip
    assert s.revert_doc(id, 1, if_version=5).version == 6
    assert s.read_doc(id).markdown == s.read_doc(id, version=1).markdown == "# A\n\none\n\n## B\n\ntwo\n"
    with refused(UnknownVersion, "unknown version"):
        s.revert_doc(id, 9)
    with refused(UnknownVersion, "unknown version"):
        s.read_doc(id, version=9)


@scenario
def gates_and_deletion(s: Surface) -> None:
    id = s.create_doc("# A\n\nzebra\n", is_draft=True).id
    with refused(UnknownBank, "unknown bank"):
        s.put_hub("gates-hub", bank="no-such-bank")
    hub = s.put_hub("gates-hub", display_name="Gates", description="Of gates.")
    assert (hub.bank, hub.public, hub.documents, hub.visible, hub.url) == (s.bank, False, 1, 0, "/hub/gates-hub")
    assert s.put_hub("gates-hub", public=True).display_name == "Gates"
    assert s.get_hub("gates-hub") == s.hubs(bank=s.bank).hubs[0]
    with refused(UnknownHub, "unknown hub"):
        s.get_hub("nobody")
    with refused(Invalid, "invalid slug: must be 3 to 32 of a-z, 0-9, _ and -"):
        s.put_hub("Ab")
    s.create_doc("other", bank=f"{s.bank}-2")
    with refused(NameTaken, "slug 'gates-hub' exists already"):
        s.put_hub("gates-hub", bank=f"{s.bank}-2")
    shown = s.set_access(id, is_draft=False)
    assert (shown.public, shown.gates) == (True, [])
    held = s.set_access(id, password="open sesame", allowed_emails=[" Ann@Example.org "], expires_at="2020-01-01")
    assert (held.gates, held.has_password, held.allowed_emails) == (["password", "allow_list", "expired"], True, ["ann@example.org"])
    assert s.set_access(id, password=None, allowed_emails=[], expires_at=None).public
    assert s.set_access(id).public and s.get_hub("gates-hub").visible == 1
    with refused(Invalid, "invalid allowed_emails: must be e-mail addresses"):
        s.set_access(id, allowed_emails=["nobody"])
    assert s.delete_doc(id).deleted and s.recall("zebra") == []
    with refused(UnknownDocument, "unknown document"):
        s.read_doc(id)
    assert [row.gates for row in s.docs(deleted=True).docs] == [["deleted"]]
    assert s.restore_doc(id).chunks.indexed == 1 and s.recall("zebra") != []
    assert s.delete_doc(id, purge=True).purged
    with refused(UnknownDocument, "unknown document"):
        s.restore_doc(id)


@scenario
def bundles_of_documents(s: Surface) -> None:
    one, two, three = (s.create_doc(f"# {name}\n\ntext\n").id for name in ("One", "Two", "Three"))
    assert s.bundles() == b.BundleList(bundles=[], total=0, cursor=None)
    made = s.create_bundle(" Reading  list ", [two, (one, "why"), two], description="Of numbers.", intent="What are numbers?")
    assert (made.title, made.bank, made.url, made.gates, made.public) == ("Reading list", s.bank, f"/b/{made.id}", ["hub"], False)
    assert [(row.doc, row.annotation, row.gates) for row in made.members] == [(two, None, ["hub"]), (one, "why", ["hub"])]
    assert (made.document_count, made.visible_count, made.members_not_visible) == (2, 0, 2)
    assert s.get_bundle(made.id) == s.update_bundle(made.id, title="Reading list") == made
    changed = s.update_bundle(made.id, add=[three, (two, "first")], description="", title="List")
    assert [(row.doc, row.annotation) for row in changed.members] == [(two, "first"), (one, "why"), (three, None)]
    assert (changed.title, changed.description, changed.intent) == ("List", None, "What are numbers?")
    assert [row.doc for row in s.update_bundle(made.id, remove=[one]).members] == [two, three]
    assert [row.doc for row in s.update_bundle(made.id, members=[three, one]).members] == [three, one]
    assert [row.id for row in s.bundles(doc=one).bundles] == [made.id] and s.bundles(doc=two).bundles == []
    other = s.create_bundle("Other", is_draft=True)
    page = s.bundles(limit=1)
    assert [row.id for row in page.bundles] == [other.id]
    assert [(row.id, row.document_count) for row in s.bundles(limit=1, cursor=page.cursor).bundles] == [(made.id, 2)]
    with refused(Invalid, "invalid title: must say something"):
        s.create_bundle("  ")
    with refused(Invalid, "invalid members: are all of them anew; `add` and `remove` don't go with it"):
        s.update_bundle(made.id, members=[], add=[one])
    with refused(UnknownDocument, "unknown document"):
        s.update_bundle(made.id, add=["nobody"])
    with refused(UnknownDocument, "unknown document"):
        s.update_bundle(made.id, remove=[two])
    with refused(UnknownBundle, "unknown bundle"):
        s.get_bundle("nobody")
    with refused(UnknownBundle, "unknown bundle"):
        s.get_bundle(made.id, bank="another")


@scenario
def gates_of_bundles(s: Surface) -> None:
    shown, hidden = s.create_doc("# Shown\n").id, s.create_doc("# Hidden\n", is_draft=True).id
    id = s.create_bundle("Both", [hidden, shown], is_draft=True).id
    s.put_hub("bundle-hub", public=True)
    with refused(Invalid, "invalid discoverable: only a bundle that is no draft and has no password, allow-list or passed expiry can be"):
        s.set_bundle_access(id, discoverable=True)
    access = s.set_bundle_access(id, is_draft=False, discoverable=True)
    assert (access.public, access.discoverable, access.members_not_visible, access.gates) == (True, True, 1, [])
    assert [row.gates for row in s.get_bundle(id).members] == [["draft"], []]  # publishing a bundle publishes no document
    held = s.set_bundle_access(id, password="open sesame", allowed_emails=["ann@example.org"], expires_at="2020-01-01")
    assert (held.gates, held.discoverable, held.has_password) == (["password", "allow_list", "expired"], False, True)
    assert s.set_bundle_access(id, password=None, allowed_emails=[], expires_at=None).gates == []
    assert s.delete_bundle(id).deleted and s.bundles().bundles == []
    with refused(UnknownBundle, "unknown bundle"):
        s.update_bundle(id, title="x")
    assert [row.gates for row in s.bundles(deleted=True).bundles] == [["deleted"]]
    assert s.restore_bundle(id).visible_count == 1
    assert s.delete_bundle(id, purge=True).purged
    with refused(UnknownBundle, "unknown bundle"):
        s.restore_bundle(id)
    assert s.read_doc(shown).title == "Shown"
