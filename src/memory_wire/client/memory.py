"""The embedded store: the operations in this process, on a database file."""

from __future__ import annotations

import os

import msgspec

from memory_wire.client.surface import Surface
from memory_wire.config import default_db
from memory_wire.ops import BY_NAME
from memory_wire.types import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory_wire.service import Service


class Memory(Surface):
    """The store in this process. Any number of processes and threads may have the same path open.

    `path` defaults to the user's store; `sync="normal"` trades the last writes before a power loss for speed. The first call that needs
    the store raises StoreRefused or StoreMissing when it can't be opened.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        bank: str = "default",
        project: str = "default",
        sync: str = "full",
        create: bool = True,
        allow_network_fs: bool = False,
    ) -> None:
        from memory_wire.service import open_service

        self.bank = bank
        self.project = project
        self.path = os.path.abspath(os.path.expanduser(os.fspath(path) if path is not None else default_db()))
        self.service: Service = open_service(self.path, sync=sync, create=create, allow_network_fs=allow_network_fs)

    def call(self, name: str, request: msgspec.Struct, bank: str | None = None) -> Any:
        return self.service.call(BY_NAME[name], Scope(self.bank if bank is None else bank, self.project), request)

    def close(self) -> None:
        self.service.close()
