"""`python -m bench.compare --save FILE` keeps a run of the micro benches; `--baseline FILE` runs them again and prints ratios.

Exit status 1 when a kernel became slower than `--tolerance` times its baseline (default 1.3).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.report import Report


def measure() -> dict[str, float]:
    """Median seconds per call of every micro bench, from a run of pytest-benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        options = ["--benchmark-enable", "--benchmark-only", f"--benchmark-json={path}", "-q"]
        subprocess.run([sys.executable, "-m", "pytest", "bench/micro", *options], check=True, stdout=sys.stderr)
        return medians(path)


def medians(path: Path) -> dict[str, float]:
    """Median seconds by bench name from a file of pytest-benchmark."""
    return {bench["name"]: bench["stats"]["median"] for bench in json.loads(path.read_text())["benchmarks"]}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--save", type=Path)
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--tolerance", type=float, default=1.3)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    now = measure()
    if given.save:
        with tempfile.NamedTemporaryFile("w", delete=False, suffix=".json") as file:
            json.dump({"benchmarks": [{"name": name, "stats": {"median": value}} for name, value in sorted(now.items())]}, file, indent=1)
        shutil.move(file.name, given.save)
    before = medians(given.baseline) if given.baseline else {}
    report = Report("Kernels" + (f" against {given.baseline.name}" if given.baseline else ""), ["pytest-benchmark"])
    rows, slower = [], []
    for name, value in sorted(now.items()):
        ratio = value / before[name] if name in before else None
        rows.append([name, f"{value * 1e6:.2f}", f"{before[name] * 1e6:.2f}" if name in before else "-", f"{ratio:.2f}" if ratio else "-"])
        if ratio and ratio > given.tolerance:
            slower.append(name)
    report.table(["bench", "now µs", "baseline µs", "ratio"], rows)
    for name in slower:
        report.text(f"SLOWER {name}")
    report.close(given.out_md)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
