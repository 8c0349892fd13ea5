"""The soak: clients with connections of their own keep a server busy; afterwards every row is counted."""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from bench.footprint import probe
from bench.footprint.server import Server
from bench.report import Report
from bench.speed.timing import pick

BANKS = 4
CYCLE = ("retain", "recall", "stats", "page")
REFERENCE = {"all": 626, "retain": 2_500, "recall": 849, "page": 57, "replace": 13_500}  # p50 in microseconds, 2,132 operations a second
SETTLED = 120.0  # seconds after which memory may not grow any more
SAMPLES = 30  # readings of memory a run


class Client(threading.Thread):
    """One client: of ten operations the fifth replaces its document, the tenth appends a new one, the others take turns."""

    def __init__(self, server: Server, number: int, end: float) -> None:
        super().__init__()
        self.connection, self.number, self.end = server.dial(), number, end
        self.bank = f"soak-{number % BANKS}"
        self.times: dict[str, list[int]] = {}
        self.rows = 0
        self.faults: list[str] = []
        self.replaced = False

    def run(self) -> None:
        turn = 0
        for at in self.rounds():
            if at == 4:
                self.replaced = self.timed("replace") or self.replaced
            elif at == 9:
                self.timed("append")
            else:
                self.timed(CYCLE[turn % len(CYCLE)])
                turn += 1
        self.connection.close()

    def rounds(self) -> Iterator[int]:
        at = 0
        while time.monotonic() < self.end:
            yield at % 10
            at += 1

    def timed(self, operation: str) -> bool:
        """One request; whether it was answered as it should be."""
        begun = time.perf_counter_ns()
        try:
            status, body = self.ask(operation)
        except (OSError, http.client.HTTPException) as error:
            self.faults.append(f"{operation}: {type(error).__name__}: {error}")
            self.connection.close()
            return False
        self.times.setdefault(operation, []).append(time.perf_counter_ns() - begun)
        if status != 200:
            self.faults.append(f"{operation}: {status} {body[:200]!r}")
        elif operation in {"retain", "append"}:
            self.rows += 1
        return status == 200

    def ask(self, operation: str) -> tuple[int, bytes]:
        path, text = f"/banks/{self.bank}", f"client {self.number} wrote line {self.rows} about topic {self.rows % 97} and left"
        if operation == "retain":
            return self.send("POST", f"{path}/retain", {"content": text})
        if operation in {"replace", "append"}:
            name = f"{self.number}" if operation == "replace" else f"{self.number}-{self.rows}"
            document = {"content": f"{operation}: {text}", "document_id": f"document-{name}", "update_mode": operation}
            return self.send("POST", f"{path}/retain", document)
        if operation == "recall":
            return self.send("POST", f"{path}/recall", {"query": f"what was left about topic {self.rows % 97}", "k": 10})
        return self.send("GET", f"{path}/stats" if operation == "stats" else f"{path}/memories?limit=20")

    def send(self, verb: str, path: str, body: object = None) -> tuple[int, bytes]:
        data = None if body is None else json.dumps(body)
        self.connection.request(verb, path, data, {"content-type": "application/json"} if data else {})
        reply = self.connection.getresponse()
        return reply.status, reply.read()


def rows_of(server: Server, bank: str) -> int:
    """The memories of a bank, as its pages tell."""
    connection = server.dial()
    connection.request("GET", f"/banks/{bank}/memories?limit=1")
    reply = connection.getresponse()
    reply.read()
    connection.close()
    return int(reply.headers["x-total-count"])


def run(report: Report, given: argparse.Namespace) -> bool:
    """True when nothing failed, every row is there and neither memory nor descriptors grew on."""
    with tempfile.TemporaryDirectory(dir=".") as folder, Server(Path(folder)) as server:
        begun = time.monotonic()
        clients = [Client(server, number, begun + given.seconds) for number in range(given.clients)]
        for client in clients:
            client.start()
        readings = list(watched(server.pid, begun, given.seconds))
        for client in clients:
            client.join()
        took = time.monotonic() - begun
        expected = {f"soak-{i}": sum(c.rows + c.replaced for c in clients if c.bank == f"soak-{i}") for i in range(BANKS)}
        counted = {bank: rows_of(server, bank) for bank in expected}
        status = server.stop()
    faults = [fault for client in clients for fault in client.faults]
    told(report, clients, took)
    report.text(
        f"Rows expected {sum(expected.values()):,}, counted {sum(counted.values()):,}; {len(faults)} requests failed; exit {status}."
    )
    for fault in faults[:5]:
        report.text(f"- {fault}")
    grew = memory(report, readings)
    return counted == expected and not faults and status == 0 and not grew


def watched(pid: int, begun: float, seconds: float) -> Iterator[tuple[float, probe.Reading, int]]:
    """(seconds since the start, memory, descriptors) at even distances."""
    for number in range(1, SAMPLES + 1):
        time.sleep(max(0.0, begun + seconds * number / SAMPLES - 0.05 - time.monotonic()))
        yield time.monotonic() - begun, probe.reading(pid), len(probe.files(pid))


def told(report: Report, clients: list[Client], took: float) -> None:
    by_operation: dict[str, list[int]] = {}
    for client in clients:
        for operation, times in client.times.items():
            by_operation.setdefault(operation, []).extend(times)
    by_operation = {"all": [time for times in by_operation.values() for time in times], **by_operation}
    rate = len(by_operation["all"]) / took
    report.text(f"Soak: {len(clients)} clients, {BANKS} banks, {took:.0f} s; {rate:,.0f} operations/s (reference: 2,132).")
    rows = [
        [name, len(times), f"{pick(times, 50):.0f}", f"{pick(times, 95):.0f}", f"{pick(times, 99):.0f}", REFERENCE.get(name, "")]
        for name, times in by_operation.items()
    ]
    report.table(["operation", "requests", "p50 µs", "p95 µs", "p99 µs", "reference p50"], rows)


def memory(report: Report, readings: list[tuple[float, probe.Reading, int]]) -> bool:
    """Whether memory that no file backs, or descriptors, grew on after they should have settled."""
    rows = [
        [f"{at:.0f}", f"{held.rss / 1024:.1f}", f"{held.anonymous / 1024:.1f}", files]
        for at, held, files in readings
        if readings.index((at, held, files)) % max(1, len(readings) // 10) == 0 or (at, held, files) == readings[-1]
    ]
    report.table(["second", "RSS MiB", "anonymous MiB", "descriptors"], rows)
    later = [(held.anonymous, files) for at, held, files in readings if at >= SETTLED]
    if len(later) < 4:
        return False
    half = len(later) // 2
    early, late = max(kib for kib, _ in later[:half]), max(kib for kib, _ in later[half:])
    more = max(files for _, files in later[half:]) - max(files for _, files in later[:half])
    report.text(f"After {SETTLED:.0f} s: anonymous memory peaks {early / 1024:.1f} MiB, later {late / 1024:.1f} MiB; {more:+} descriptors.")
    return late > early * 1.1 + 1024 or more > 4
