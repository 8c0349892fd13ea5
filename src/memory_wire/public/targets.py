"""Which document of a hub a reference means: by id, by title, by the name of its file, by a path from the file that links.

Titles and names are compared case folded; of two documents that fit the older is meant. Only documents that the reader sees are asked.
"""

from __future__ import annotations

from memory_wire.kernels.text import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_wire.store.graph import Page


class Targets(dict[str, int]):
    """The documents of one hub by reference, 0 for one that leads to none: by title or id through `[…]`, by path through `path`."""

    __slots__ = ("_folders", "_names", "_paths")

    def __init__(self, documents: Sequence[Page]) -> None:
        super().__init__((f"d:{page.public_id}", page.id) for page in documents)
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

    def __missing__(self, reference: str) -> int:
        found = self[reference] = self._names.get(fold(reference[2:].rpartition("/")[2]), 0) if reference[0] == "w" else 0
        return found

    def path(self, reference: str, document: int) -> int | None:
        """The document at a path from where another one's file is; None when that has no file."""
        folders = self._folders.get(document)
        return None if folders is None else self._paths.get(joined(folders, reference[2:]), 0)


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
