"""Bundles as typed methods; surface.py has the others. A member is given as a document's id, or as (id, annotation)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from memory_wire import bundles as b
from memory_wire import descriptions as n
from memory_wire import documents as d
from memory_wire.client.library import Library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Given = str | tuple[str, str | None]


def members_of(given: Sequence[Given] | None) -> list[b.Member] | None:
    """Members as a request names them."""
    if given is None:
        return None
    pairs = [(one, None) if isinstance(one, str) else one for one in given]
    return [b.Member(doc=doc, annotation=annotation) for doc, annotation in pairs]


class Bundles(Library):
    """The operations on bundles, beside those on documents."""

    def create_bundle(
        self,
        title: str,
        members: Sequence[Given] = (),
        *,
        description: str | None = None,
        intent: str | None = None,
        is_draft: bool | None = None,
        bank: str | None = None,
    ) -> b.Bundle:
        """Makes a bundle of documents in reading order."""
        request = b.CreateBundle(
            title=title, members=members_of(members), description=description, intent=intent, is_draft=is_draft, bank=self._bank(bank)
        )
        answer: b.Bundle = self.call("create_bundle", request)
        return answer

    def get_bundle(self, id: str, *, bank: str | None = None) -> b.Bundle:
        """A bundle with all its members; `members_not_visible` of them are missing in what everybody sees."""
        answer: b.Bundle = self.call("get_bundle", b.GetBundle(id=id, bank=bank))
        return answer

    def update_bundle(
        self,
        id: str,
        *,
        title: str | None = None,
        description: str | None = None,
        intent: str | None = None,
        members: Sequence[Given] | None = None,
        add: Sequence[Given] | None = None,
        remove: Sequence[str] | None = None,
        bank: str | None = None,
    ) -> b.Bundle:
        """Changes what is given: `members` are all of them anew, `add` puts some at the end, `remove` takes some out."""
        request = b.UpdateBundle(
            id=id,
            title=title,
            description=description,
            intent=intent,
            members=members_of(members),
            add=members_of(add),
            remove=None if remove is None else list(remove),
            bank=bank,
        )
        answer: b.Bundle = self.call("update_bundle", request)
        return answer

    def bundles(
        self,
        *,
        doc: str | None = None,
        deleted: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        bank: str | None = None,
    ) -> b.BundleList:
        """A page of the bank's bundles, the newest first; with `doc` those that hold it."""
        request = b.ListBundles(doc=doc, deleted=deleted, limit=limit, cursor=cursor, bank=self._bank(bank))
        answer: b.BundleList = self.call("bundles", request)
        return answer

    def set_bundle_access(
        self,
        id: str,
        *,
        is_draft: bool | UnsetType = UNSET,
        password: str | UnsetType | None = UNSET,
        allowed_emails: list[str] | UnsetType | None = UNSET,
        expires_at: str | UnsetType | None = UNSET,
        discoverable: bool | UnsetType = UNSET,
        bank: str | None = None,
    ) -> b.BundleAccess:
        """Sets the gates that are given; None takes one away. No document is published by it."""
        request = b.SetBundleAccess(
            id=id,
            is_draft=is_draft,
            password=password,
            allowed_emails=allowed_emails,
            expires_at=expires_at,
            discoverable=discoverable,
            bank=bank,
        )
        answer: b.BundleAccess = self.call("set_bundle_access", request)
        return answer

    def delete_bundle(self, id: str, *, purge: bool | None = None, bank: str | None = None) -> d.DocDeleted:
        """Deletes a bundle so that it can be restored; `purge` for good. Its documents stay."""
        answer: d.DocDeleted = self.call("delete_bundle", b.DeleteBundle(id=id, purge=purge, bank=bank))
        return answer

    def restore_bundle(self, id: str, *, bank: str | None = None) -> b.Bundle:
        """Brings a deleted bundle back."""
        answer: b.Bundle = self.call("restore_bundle", b.RestoreBundle(id=id, bank=bank))
        return answer

    def describe_doc(
        self, id: str, model: str | None = None, *, version: int | None = None, bank: str | None = None, **told: Any
    ) -> n.Described:
        """Keeps what a model made of a document; `told` are the further fields of descriptions.DescribeDoc. Nothing told takes it away."""
        answer: n.Described = self.call("describe_doc", n.DescribeDoc(id=id, model=model, version=version, bank=bank, **told))
        return answer

    def describe_bundle(self, id: str, model: str | None = None, *, bank: str | None = None, **told: Any) -> n.Described:
        """Keeps what a model made of a bundle; `told` are the further fields of descriptions.DescribeBundle. Nothing told takes it away."""
        answer: n.Described = self.call("describe_bundle", n.DescribeBundle(id=id, model=model, bank=bank, **told))
        return answer
