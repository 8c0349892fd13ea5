"""Documents and hubs as typed methods; surface.py has the others.

A document's id is enough to find it in the project; `bank` narrows it to one. Each method raises what its operation raises.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from memory_wire import documents as d
from memory_wire.client.questions import Questions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Library(Questions):
    """The operations on documents and hubs."""

    bank: str

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        """The response Struct of one operation of the table."""
        raise NotImplementedError

    def create_doc(
        self, markdown: str, *, title: str | None = None, source: str | None = None, is_draft: bool | None = None, bank: str | None = None
    ) -> d.Saved:
        """Makes a document; it never takes another one's place."""
        request = d.CreateDoc(markdown=markdown, title=title, source=source, is_draft=is_draft, bank=self._bank(bank))
        answer: d.Saved = self.call("create_doc", request)
        return answer

    def read_doc(
        self,
        id: str,
        *,
        section: str | None = None,
        occurrence: int | None = None,
        subtree: bool | None = None,
        lines: str | None = None,
        outline: bool | None = None,
        offset: int | None = None,
        limit: int | None = None,
        version: int | None = None,
        bank: str | None = None,
    ) -> d.Doc:
        """A document: whole, a section, lines `first-last`, or its outline."""
        request = d.ReadDoc(
            id=id,
            section=section,
            occurrence=occurrence,
            subtree=subtree,
            lines=lines,
            outline=outline,
            offset=offset,
            limit=limit,
            version=version,
            bank=bank,
        )
        answer: d.Doc = self.call("read_doc", request)
        return answer

    def update_doc(
        self,
        id: str,
        *,
        replace: str | None = None,
        append: str | None = None,
        prepend: str | None = None,
        replace_section: d.ReplaceSection | None = None,
        title: str | None = None,
        source: str | None = None,
        if_version: int | None = None,
        bank: str | None = None,
        edit_token: str | None = None,
    ) -> d.Saved:
        """Changes a document as a new version; with `if_version` only if that is the newest."""
        request = d.UpdateDoc(
            id=id,
            replace=replace,
            append=append,
            prepend=prepend,
            replace_section=replace_section,
            title=title,
            source=source,
            if_version=if_version,
            bank=bank,
            edit_token=edit_token,
        )
        answer: d.Saved = self.call("update_doc", request)
        return answer

    def write_doc(self, markdown: str, *, id: str | None = None, mode: str | None = None, bank: str | None = None, **more: Any) -> d.Saved:
        """Makes a document, or changes the one with that id; `more` are the further fields of documents.WriteDoc."""
        request = d.WriteDoc(markdown=markdown, id=id, mode=mode, bank=self._bank(bank) if id is None else bank, **more)
        answer: d.Saved = self.call("write_doc", request)
        return answer

    def search_docs(
        self, query: str, *, id: str | None = None, limit: int | None = None, tags: list[str] | None = None, bank: str | None = None
    ) -> d.DocHits:
        """The parts of documents that answer a question, best first."""
        request = d.SearchDocs(query=query, id=id, limit=limit, tags=tags, bank=self._bank(bank) if id is None else bank)
        answer: d.DocHits = self.call("search_docs", request)
        return answer

    def docs(
        self, *, deleted: bool | None = None, limit: int | None = None, cursor: str | None = None, bank: str | None = None
    ) -> d.DocList:
        """A page of the bank's documents, the newest first; the answer's cursor gives the next page."""
        answer: d.DocList = self.call("docs", d.ListDocs(deleted=deleted, limit=limit, cursor=cursor, bank=self._bank(bank)))
        return answer

    def set_access(
        self,
        id: str,
        *,
        is_draft: bool | UnsetType = UNSET,
        password: str | UnsetType | None = UNSET,
        allowed_emails: list[str] | UnsetType | None = UNSET,
        expires_at: str | UnsetType | None = UNSET,
        password_page: bool | UnsetType = UNSET,
        bank: str | None = None,
        edit_token: str | None = None,
    ) -> d.Access:
        """Sets the gates that are given; None takes one away. `password_page`: the page asks who has its address for the password."""
        request = d.SetAccess(
            id=id,
            is_draft=is_draft,
            password=password,
            allowed_emails=allowed_emails,
            expires_at=expires_at,
            password_page=password_page,
            bank=bank,
            edit_token=edit_token,
        )
        answer: d.Access = self.call("set_access", request)
        return answer

    def delete_doc(self, id: str, *, purge: bool | None = None, bank: str | None = None) -> d.DocDeleted:
        """Deletes a document so that it can be restored; `purge` for good."""
        answer: d.DocDeleted = self.call("delete_doc", d.DeleteDoc(id=id, purge=purge, bank=bank))
        return answer

    def restore_doc(self, id: str, *, bank: str | None = None) -> d.Saved:
        """Brings a deleted document back."""
        answer: d.Saved = self.call("restore_doc", d.RestoreDoc(id=id, bank=bank))
        return answer

    def doc_versions(self, id: str, *, limit: int | None = None, cursor: str | None = None, bank: str | None = None) -> d.DocVersions:
        """A document's versions, the newest first."""
        answer: d.DocVersions = self.call("doc_versions", d.ListVersions(id=id, limit=limit, cursor=cursor, bank=bank))
        return answer

    def revert_doc(self, id: str, version: int, *, if_version: int | None = None, bank: str | None = None) -> d.Saved:
        """Makes an older version's text the newest version."""
        answer: d.Saved = self.call("revert_doc", d.RevertDoc(id=id, version=version, if_version=if_version, bank=bank))
        return answer

    def diff_doc(self, id: str, *, old: int | None = None, new: int | None = None, bank: str | None = None) -> d.DocDiff:
        """What changed between two versions; by default in the newest."""
        answer: d.DocDiff = self.call("diff_doc", d.DiffDoc(id=id, old=old, new=new, bank=bank))
        return answer

    def preview_doc(self, markdown: str, *, title: str | None = None) -> d.DocPreview:
        """A text as HTML, as its page would show it; nothing is kept."""
        answer: d.DocPreview = self.call("preview_doc", d.PreviewDoc(markdown=markdown, title=title))
        return answer

    def put_hub(
        self,
        slug: str,
        *,
        display_name: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        public: bool | None = None,
        keyless_capture: bool | None = None,
        bank: str | None = None,
    ) -> d.Hub:
        """Makes the bank a hub under a slug, or changes it; nothing is public until `public` says so."""
        request = d.PutHub(
            slug=slug,
            bank=self._bank(bank),
            display_name=display_name,
            description=description,
            instructions=instructions,
            public=public,
            keyless_capture=keyless_capture,
        )
        answer: d.Hub = self.call("put_hub", request)
        return answer

    def get_hub(self, slug: str) -> d.Hub:
        """One hub of the project."""
        answer: d.Hub = self.call("get_hub", d.GetHub(slug=slug))
        return answer

    def hubs(self, *, bank: str | None = None) -> d.Hubs:
        """The project's hubs, or the one of a bank."""
        answer: d.Hubs = self.call("hubs", d.ListHubs(bank=bank))
        return answer

    def _bank(self, bank: str | None) -> str:
        return self.bank if bank is None else bank
