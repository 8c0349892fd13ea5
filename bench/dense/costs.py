"""What embedders cost: bytes installed, memory of server and helper process, time to load, of a question, and texts a second.

Embedders come from installed packages; what isn't there is left out. `--onnx FOLDER` names a folder with model.onnx and tokenizer.json.
Memory is VmRSS and VmHWM as the kernel tells it of each process; the server's own is read before, while and after the helper runs.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from statistics import median

from bench.report import Report
from memory_wire.errors import OutsideFailed
from memory_wire.outside import Outside
from tests.embed.endpoint import WORDLLAMA, Endpoint

Spec = dict[str, object]

QUERIES = 200
TEXTS = 2_000
SLOW_TEXTS = 200  # for a network
BATCH = 32
WORDS = "the deploy of staging runs every tuesday after review because rollbacks need somebody awake who knows the old schema well".split()


def main() -> None:
    """Measures what is there and prints a table; `--out-md` keeps it."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--onnx", type=Path, help="folder of a MiniLM-class model")
    parser.add_argument("--tokenizer", type=Path, default=None, help="its tokenizer.json when it lies elsewhere")
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Embedders: cost", ("numpy", "tokenizers", "onnxruntime", "wordllama"))
    heads = ["embedder", "dimension", "files, MB", "packages, MB", "load, s", "query p50, ms", "texts/s", "helper RSS, MB", "peak, MB"]
    rows: list[list[str]] = []
    for name, spec, packages, files in specs(given.onnx, given.tokenizer):
        try:
            rows.append([name, *measured(spec, SLOW_TEXTS if spec["kind"] == "onnx" else TEXTS, packages, files)])
        except OutsideFailed as error:
            report.text(f"{name}: {error}")
    report.table(heads, rows)
    report.close(given.out_md)


def specs(onnx: Path | None, tokenizer: Path | None) -> Iterator[tuple[str, Spec, tuple[str, ...], int]]:
    """(name, what the helper is told, packages it loads, bytes of its files)."""
    static = ("numpy", "tokenizers")
    size = 16_384_096 + 1_842_796
    yield "WordLlama 256, static", WORDLLAMA, static, size
    yield "WordLlama 128, static", {**WORDLLAMA, "dimension": 128}, static, size
    if onnx is not None:
        spec: Spec = {"kind": "onnx", "path": str(onnx), **({"tokenizer": str(tokenizer)} if tokenizer else {})}
        total = sum(path.stat().st_size for path in [*onnx.glob("*.onnx"), *([tokenizer] if tokenizer else onnx.glob("tokenizer.json"))])
        yield "ONNX, 1 thread", spec, (*static, "onnxruntime"), total
        yield "ONNX, 2 threads", {**spec, "threads": 2}, (*static, "onnxruntime"), total
    with Endpoint() as server:
        yield "endpoint (WordLlama behind it)", server.model(), (), 0


def measured(spec: Spec, texts: int, packages: tuple[str, ...], files: int) -> list[str]:
    outside = Outside()
    try:
        begun = time.perf_counter()
        outside.ask("embed", {"model": spec, "texts": ["a first text"]}, 50)
        load = time.perf_counter() - begun
        times = []
        for number in range(QUERIES):
            begun = time.perf_counter()
            answer = outside.ask("embed", {"model": spec, "texts": [f"when does staging deploy, question {number}"]}, 50)
            times.append(time.perf_counter() - begun)
        corpus = [" ".join((*WORDS, f"n{number}")) for number in range(texts)]
        begun = time.perf_counter()
        for start in range(0, texts, BATCH):
            outside.ask("embed", {"model": spec, "texts": corpus[start : start + BATCH], "int8": True}, 50)
        rate = texts / (time.perf_counter() - begun)
        rss, peak = memory(outside.lanes["model"][0].pid)
    finally:
        outside.close()
    weight = sum(installed(name) for name in packages)
    return [
        str(answer["dimension"]),
        f"{files / 1e6:.1f}",
        f"{weight / 1e6:.0f}",
        f"{load:.2f}",
        f"{median(times) * 1e3:.2f}",
        f"{rate:,.0f}",
        f"{rss:.0f}",
        f"{peak:.0f}",
    ]


def memory(pid: int) -> tuple[float, float]:
    """(VmRSS, VmHWM) of a process in MB."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024, int(fields["VmHWM"].split()[0]) / 1024


def installed(name: str) -> int:
    """Bytes of a package's files."""
    total = 0
    for file in metadata.files(name) or ():
        path = Path(str(file.locate()))
        total += path.stat().st_size if path.is_file() else 0
    return total


if __name__ == "__main__":
    main()
