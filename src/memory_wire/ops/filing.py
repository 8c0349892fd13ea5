"""Documents brought in: many at once, from a folder, from files of other formats."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import filing as f
else:
    f = Later("filing")

OPS: tuple[Op, ...] = (
    Op(
        name="write_docs",
        request=f.WriteDocs,
        response=f.DocsFiled,
        http=("POST", "/v1/docs/batch"),
        body=True,
        contract=False,
        writes=True,
        summary="Make or change many documents in one commit, each known by where it comes from.",
        errors=("invalid", "storage"),
    ),
    Op(
        name="sync_docs",
        request=f.SyncDocs,
        response=f.DocsSynced,
        http=("POST", "/v1/docs/sync"),
        body=True,
        contract=False,
        writes=True,
        summary="Make a folder's documents those of its files: moves and deletions are done, what is missing is named.",
        errors=("invalid", "other_folder", "too_many_gone", "storage"),
    ),
    Op(
        name="import_docs",
        request=f.ImportDocs,
        response=f.DocsFiled,
        http=("POST", "/v1/import"),
        body=True,
        contract=False,
        apart=True,
        needs="write",
        summary="Make documents of files: Markdown, text, HTML, PDF, DOCX, transcripts, chat exports; or of a shared chat.",
        errors=("invalid", "forbidden", "outside_failed", "outside_timeout", "storage"),
    ),
)
