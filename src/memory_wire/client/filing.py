"""Bringing documents in as typed methods; surface.py has the others. Each raises what its operation raises."""

from __future__ import annotations

from collections.abc import Sequence

from memory_wire import filing as f
from memory_wire.client.bundles import Bundles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Filing(Bundles):
    """The operations that take many documents, a folder's or files of other formats."""

    def write_docs(self, docs: Sequence[f.NewDoc], *, bank: str | None = None, **more: Any) -> f.DocsFiled:
        """Makes or changes documents, each known by its source; `more` are the further fields of filing.WriteDocs."""
        answer: f.DocsFiled = self.call("write_docs", f.WriteDocs(docs=list(docs), bank=self._bank(bank), **more))
        return answer

    def sync_docs(self, folder: str, files: Sequence[f.FileSeen], *, bank: str | None = None, **more: Any) -> f.DocsSynced:
        """Makes a folder's documents its files, as far as their texts are there; `more` are the further fields of filing.SyncDocs."""
        answer: f.DocsSynced = self.call("sync_docs", f.SyncDocs(folder=folder, files=list(files), bank=self._bank(bank), **more))
        return answer

    def import_docs(self, files: Sequence[f.NewFile] = (), *, bank: str | None = None, **more: Any) -> f.DocsFiled:
        """Makes documents of files, or of a shared chat (`url`); `more` are the further fields of filing.ImportDocs."""
        answer: f.DocsFiled = self.call("import_docs", f.ImportDocs(files=list(files), bank=self._bank(bank), **more))
        return answer
