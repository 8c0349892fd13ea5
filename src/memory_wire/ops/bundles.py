"""Bundles: documents in reading order, shared under one address."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import bundles as b
    from memory_wire import documents as d
else:
    b, d = Later("bundles"), Later("documents")

BUNDLES = "/v1/bundles"
BUNDLE = f"{BUNDLES}/{{id}}"

OPS: tuple[Op, ...] = (
    Op(
        name="create_bundle",
        request=b.CreateBundle,
        response=b.Bundle,
        http=("POST", BUNDLES),
        body=True,
        contract=False,
        writes=True,
        summary="Make a bundle of documents, in reading order.",
        errors=("unknown_document", "invalid", "storage"),
    ),
    Op(
        name="get_bundle",
        request=b.GetBundle,
        response=b.Bundle,
        http=("GET", BUNDLE),
        contract=False,
        summary="A bundle with its members, and which of them everybody sees.",
        errors=("unknown_bundle",),
    ),
    Op(
        name="update_bundle",
        request=b.UpdateBundle,
        response=b.Bundle,
        http=("PATCH", BUNDLE),
        body=True,
        contract=False,
        writes=True,
        summary="Change a bundle: title, description, intent, members and their order.",
        errors=("unknown_bundle", "unknown_document", "invalid", "storage"),
    ),
    Op(
        name="bundles",
        request=b.ListBundles,
        response=b.BundleList,
        http=("GET", BUNDLES),
        contract=False,
        summary="A page of the bank's bundles, the newest first.",
        errors=("invalid", "unknown_document"),
    ),
    Op(
        name="set_bundle_access",
        request=b.SetBundleAccess,
        response=b.BundleAccess,
        http=("PATCH", f"{BUNDLE}/access"),
        body=True,
        contract=False,
        writes=True,
        summary="Say who may see a bundle; its documents keep their own gates.",
        errors=("unknown_bundle", "invalid"),
    ),
    Op(
        name="delete_bundle",
        request=b.DeleteBundle,
        response=d.DocDeleted,
        http=("DELETE", BUNDLE),
        contract=False,
        writes=True,
        summary="Delete a bundle, which can be restored; `purge` deletes it for good. Its documents stay.",
        errors=("unknown_bundle", "forbidden"),
    ),
    Op(
        name="restore_bundle",
        request=b.RestoreBundle,
        response=b.Bundle,
        http=("POST", f"{BUNDLE}/restore"),
        body=True,
        contract=False,
        writes=True,
        summary="Bring a deleted bundle back.",
        errors=("unknown_bundle",),
    ),
)
