"""The service layer: what every operation does, independent of the surface it is asked through.

Surfaces call `open_service` and then `Service.call`. Importing this package loads nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.service.service import Service as Service

__all__ = ["open_service"]


def open_service(path: str, *, sync: str = "full", create: bool = True, allow_network_fs: bool = False) -> Service:
    """The service over one store. Nothing is opened yet: the first call does that, or `Service.open`.

    `create` lets the first write make a store that isn't there.
    """
    from memory_wire.service.service import Service

    return Service(path, sync=sync, create=create, allow_network_fs=allow_network_fs)
