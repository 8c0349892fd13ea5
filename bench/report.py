"""One way to print and keep a bench's tables: a header with their origin, a scratch file, a committed file on request."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path


def version(name: str) -> str:
    """The installed version of a distribution, or `-`."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "-"


def processor() -> str:
    """The processor's model name where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


class Report:
    """Collects markdown, prints it as it grows, and writes it to a scratch file and to `out_md` when one is named."""

    def __init__(self, title: str, packages: Sequence[str] = (), rounds: str = "1") -> None:
        self.title = title
        versions = ", ".join(f"{name} {version(name)}" for name in ("memory-wire", *packages))
        load = " ".join(f"{value:.2f}" for value in os.getloadavg())
        self.lines = [
            f"# {title}",
            "",
            f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}; {versions};",
            f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; load {load}; rounds: {rounds}.",
            "",
        ]
        print("\n".join(self.lines))

    def text(self, line: str = "") -> None:
        """One line of prose."""
        self.lines.append(line)
        print(line, flush=True)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A markdown table; floats with one decimal."""
        cells = [[f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
        widths = [max(len(head), *(len(row[i]) for row in cells)) if cells else len(head) for i, head in enumerate(heads)]
        self.text("| " + " | ".join(head.ljust(width) for head, width in zip(heads, widths, strict=True)) + " |")
        self.text("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        for row in cells:
            self.text("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
        self.text()

    def close(self, out_md: str | None) -> None:
        """Writes the scratch file, and the committed one when asked."""
        body = "\n".join(self.lines).rstrip() + "\n"
        handle, path = tempfile.mkstemp(prefix="memory-wire-bench-", suffix=".md")
        with os.fdopen(handle, "w") as file:
            file.write(body)
        if out_md:
            Path(out_md).write_text(body)
        print(f"written to {out_md or path}", file=sys.stderr)
