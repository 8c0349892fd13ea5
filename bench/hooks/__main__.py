"""`python -m bench.hooks`: each event as its host fires it, beside a server, without one, and beside one that never answers.

--rounds 60      firings a row
--memories 2000  in the bank that the server searches
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.footprint.server import Server, launcher
from bench.report import Report

EVENTS = ("session-start", "prompt", "stop")
PEAK = """
import sys
sys.argv = ["memory-wire", "hook", sys.argv[1], "--host", "claude-code"]
from memory_wire.__main__ import main
main()
sys.stderr.write([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.hooks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--out-md")
    given = parser.parse_args()
    report = Report("Hooks", rounds=f"{given.rounds} firings a row")
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as mute:
        folder = Path(name)
        env = environment(folder)
        with Server(folder / "server", env={"PYTHONPYCACHEPREFIX": str(folder / "pyc")}) as server:
            fill(server, given.memories)
            states = {
                "server up": f"http://127.0.0.1:{server.port}",
                "server down": "http://127.0.0.1:9",
                "server silent": f"http://127.0.0.1:{mute.getsockname()[1]}",
            }
            rows: list[list[object]] = [["bare interpreter", "-", *timed([sys.executable, "-c", "pass"], given.rounds, env, ""), "-"]]
            for state, url in states.items():
                for event in EVENTS:
                    rounds = given.rounds if state != "server silent" else 3
                    rows.append([state, event, *measure(event, rounds, {**env, "MEMORY_WIRE_URL": url})])
    report.table(["", "event", "p50 ms", "p95 ms", "of it CPU", "bytes printed", "VmHWM KiB"], rows)
    report.text()
    report.text(
        "Wall time of the whole process, from its start to its end, and the median of its processor time; `VmHWM` of one more firing"
    )
    report.text("without site packages' start-up code.")
    report.close(given.out_md)
    return 0


def environment(folder: Path) -> dict[str, str]:
    """A machine of its own, with compiled modules as an installation has them."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORY_WIRE_", "PYTHONDONTWRITEBYTECODE"))}
    return {
        **kept,
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "share"),
        "PYTHONPYCACHEPREFIX": str(folder / "pyc"),
        "MEMORY_WIRE_BANK": "b",
    }


def fill(server: Server, count: int) -> None:
    topics = ("harbour pilots", "lock gates", "tide tables", "dredgers", "light vessels")
    items = [
        {"content": f"Note {number} on {topics[number % 5]}: crew {number % 97} signed off at berth {number % 31}."}
        for number in range(count)
    ]
    for at in range(0, count, 500):
        server.retain("b", {"items": items[at : at + 500]})


def payload(event: str, number: int) -> str:
    """As Claude Code sends it; every firing is another session's, so that none is held back as a repetition."""
    said = {"session_id": f"{event}-{number}-{time.time_ns()}", "cwd": "/", "hook_event_name": event}
    if event == "prompt":
        said["prompt"] = f"Which crew of the harbour pilots signed off at berth {number % 31}?"
    if event == "stop":
        said["last_assistant_message"] = f"Crew {number} signed off at berth {number % 31}, as the note on harbour pilots says."
    return json.dumps(said)


def measure(event: str, rounds: int, env: dict[str, str]) -> tuple[float, float, float, int, str]:
    """(p50 ms, p95 ms, CPU ms, bytes printed, peak) of one event."""
    times = timed([*launcher(), "hook", event, "--host", "claude-code"], rounds, env, event)
    isolated = [sys.executable, "-I", "-S", "-X", f"pycache_prefix={env['PYTHONPYCACHEPREFIX']}", "-c"]
    path = f"import sys; sys.path += {[entry for entry in sys.path if entry]!r}\n"
    done = subprocess.run([*isolated, path + PEAK, event], input=payload(event, 0), capture_output=True, text=True, check=True, env=env)
    return *times, done.stderr


def timed(command: Sequence[str], rounds: int, env: dict[str, str], event: str) -> tuple[float, float, float, int]:
    """(p50, p95, CPU in ms, bytes printed by the last one) of so many processes, one after the other."""
    taken, worked = [], []
    printed = 0
    for number in range(-2 if rounds > 3 else 0, rounds):  # the first ones compile
        given = payload(event, number) if event else ""
        before, begun = processor_seconds(), time.perf_counter()
        done = subprocess.run(command, input=given.encode(), capture_output=True, check=True, env=env, cwd="/")
        if number >= 0:
            taken.append((time.perf_counter() - begun) * 1e3)
            worked.append((processor_seconds() - before) * 1e3)
        assert not done.stderr, done.stderr
        printed = len(done.stdout)
    taken.sort()
    worked.sort()
    return taken[len(taken) // 2], taken[min(len(taken) - 1, len(taken) * 95 // 100)], worked[len(worked) // 2], printed


def processor_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
