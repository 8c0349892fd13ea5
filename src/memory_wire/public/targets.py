"""Which document of a hub a reference means: by id, by title, by the name of its file, by a path from the file that links.

Titles and names are compared case folded; of two documents that fit the older is meant. Only documents that the reader sees are asked.
"""

from __future__ import annotations

from memory_wire.kernels.text import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.store.graph import Page


class Targets:
    """The documents of one hub by what they are called, in the order they were made."""

    __slots__ = ("_folders", "_ids", "_names", "_paths")

    def __init__(self, documents: Sequence[Page]) -> None:
        self._ids = {f"d:{page.public_id}": page.id for page in documents}
        self._names: dict[str, int] = {}
        self._paths: dict[str, int] = {}
        self._folders: dict[int, list[str]] = {}
        for page in documents:
            self._names.setdefault(fold(" ".join(page.title.split())), page.id)
        for page in documents:
            if page.source and "://" not in page.source:
                folders, _, name = page.source.rpartition("/")
                self._names.setdefault(fold(stem(name)), page.id)
                self._paths.setdefault(page.source, page.id)
                self._folders[page.id] = folders.split("/") if folders else []

    def of(self, reference: str, document: int) -> int | None:
        """The document that is meant; 0 for none; None for a path in a document that has no file."""
        if reference[0] == "r":
            folders = self._folders.get(document)
            return None if folders is None else self._paths.get(joined(folders, reference[2:]), 0)
        found = self._ids.get(reference)
        if found is None:
            found = self._ids[reference] = self._names.get(fold(reference[2:].rpartition("/")[2]), 0) if reference[0] == "w" else 0
        return found


def stem(name: str) -> str:
    """A file's name without its suffix."""
    bare, sign, _ = name.rpartition(".")
    return bare if sign and bare else name


def joined(folders: list[str], path: str) -> str:
    """A path from a folder, without `.` and `..`."""
    parts = list(folders)
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
