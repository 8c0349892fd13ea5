"""`memory-wire agent`: the tools of a remote server over standard input and output, and the consent to upload sessions.

Also installed as `mmw-agent`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from msgspec import DecodeError

from memory_wire import config
from memory_wire.agent import state
from memory_wire.agent.remote import Remote, local, opened
from memory_wire.cli.args import Command, Option, Usage, Value, alone
from memory_wire.cli.show import as_json, line, one_line
from memory_wire.errors import Invalid, MemoryWireError, Unreachable
from memory_wire.hooks.files import data_folder
from memory_wire.mcp.rpc import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.mcp.rpc import Json

SUMMARY = "Serve a remote server's tools to a host, keep writes while it is away; consent, revoke, status: of uploading sessions."
OPTIONS = (
    Option("url", help="the server (default: MEMORY_WIRE_URL, else this machine's own)"),
    Option("bank", help="default bank (default: this project's)"),
    Option("insecure", "flag", "send the key to another machine over http://, for all on the way to read"),
    Option("json", "flag", "status as JSON"),
)
ACTIONS = ("consent", "revoke", "status")
ANSWER = "upload"
SHOWN = 20  # writes that status lists


def commands() -> list[Command]:
    return [Command("agent", SUMMARY, run, optional=("action",), options=OPTIONS, choices=ACTIONS)]


def main() -> int:
    """The program `mmw-agent`."""
    return agent(sys.argv[1:])


def agent(words: Sequence[str]) -> int:
    """The exit status: 0 when the input has ended or it is done, 1 when it isn't, 2 when the words don't fit."""
    (command,) = commands()
    try:
        return alone(command, words)
    except OSError as error:
        sys.stderr.write(f"memory-wire agent: {error}\n")
        return 1


def run(values: dict[str, Value]) -> int:
    """Serves, or does what is asked for. Raises Usage, OSError."""
    url = values.get("url")
    remote = Remote(str(url) if url else None, os.environ, data_folder(), bool(values.get("insecure")))
    try:
        opened(remote.url)
    except Invalid:
        raise Usage(f"{remote.url!r} is no address of a server: https://HOST[:PORT], http://HOST[:PORT] or unix:///PATH") from None
    action = values.get("action")
    if action == "revoke":
        there = state.revoke(remote)
        line("revoked: no further session is read" if there else "there was no consent")
        return 0
    if action == "status":
        return show({**status(remote), "state": answers(remote), "writes": kept(remote)}, bool(values.get("json")))
    try:
        key = remote.key(remote.url)
    except Unreachable as error:
        sys.stderr.write(f"memory-wire agent: {error}\n")
        return 1
    if key and not local(remote.url) and not remote.url.startswith("https://"):
        sys.stderr.write(f"memory-wire agent: warning: the key goes to {remote.url} unencrypted\n")
    return serve(remote, values) if action is None else consent(remote)


def serve(remote: Remote, values: dict[str, Value]) -> int:
    """Carries messages on until the input ends."""
    from memory_wire.agent.forward import Forwarder
    from memory_wire.agent.upload import Uploader
    from memory_wire.cli.mcp import descriptors, leave, unexpected
    from memory_wire.cli.target import found_bank
    from memory_wire.mcp.dispatch import Peer
    from memory_wire.mcp.stdio import Stdio

    bank = found_bank(values).bank
    sink = descriptors()
    if sink is None:
        return 0
    os.makedirs(remote.folder, 0o700, exist_ok=True)

    forwarder = Forwarder(remote, bank, lambda: status(remote))
    forwarder.courier.spool.sweep()
    forwarder.courier.wake()
    uploader = Uploader(remote, os.path.expanduser("~"), os.environ)
    uploader.start()
    server = Stdio(forwarder.provider(), forwarder.run, Peer(bank), lost=unexpected, left=leave, source=0, sink=sink)
    server.serve()
    uploader.stop()
    forwarder.courier.stop()
    leave()  # what waits is on the disk; nothing else is worth keeping the host for
    return 0


def status(remote: Remote) -> Json:
    """What `mmw_sync_status` and `agent status` show."""
    from memory_wire.agent.spool import Spool

    uploads, spool = state.load(remote), Spool(remote.folder, remote.target)
    return {
        "server": remote.url,
        "consent": state.consented(remote),
        "last_cycle": uploads.last_cycle,
        "files": len(uploads.files),
        "bytes": uploads.sent,
        "last_error": spool.trouble or uploads.last_error,
        "waiting": len(spool.names()),
        "set_aside": len(spool.aside()),
    }


def answers(remote: Remote) -> str:
    """Whether the server answers now, or why it doesn't."""
    try:
        remote.message("ping", {}, seconds=config.AGENT_LIST_SECONDS)
    except (MemoryWireError, Fault) as error:
        return str(error)
    return "it answers"


def kept(remote: Remote) -> list[Json]:
    """The oldest writes that wait, then those that the server refused for good."""
    from memory_wire.agent.courier import write_of
    from memory_wire.agent.spool import Spool

    spool = Spool(remote.folder, remote.target)
    found: list[Json] = []
    for name in spool.names()[:SHOWN]:
        try:
            write = write_of(spool.read(name))
        except DecodeError:
            continue  # delivered meanwhile
        text = one_line(str(write.arguments.get("content") or next(iter(write.arguments.values()), "")))
        found.append({"at": write.at, "tool": write.name, "text": text, "refused": None})
    for name in spool.aside()[-SHOWN:]:
        found.append({"at": stamped(name), "tool": None, "text": None, "refused": spool.why(name)})
    return found


def stamped(name: str) -> str:
    """When the write of that name was made."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(name[:20]) // 1_000_000_000))


def show(told: Json, json: bool) -> int:
    """Prints the state for a person, or as JSON."""
    if json:
        as_json(told)
        return 0
    writes = told.pop("writes")
    assert isinstance(writes, list)
    for name, value in told.items():
        line(f"{name.replace('_', ' ')}: {value if value is not None else '-'}")
    for write in writes:
        line(f"  {write['at']}  " + (f"refused: {write['refused']}" if write["refused"] else f"{write['tool']}  {write['text']}"))
    return 0


def consent(remote: Remote) -> int:
    """Asks the user, who must be there in person."""
    from memory_wire.agent.upload import found

    if not (os.isatty(0) and os.isatty(1)):
        sys.stderr.write("memory-wire agent: consent is given in a terminal, by typing it: standard input and output must be one\n")
        return 1
    counts: dict[str, int] = {}
    for kept in found(os.path.expanduser("~"), os.environ):
        counts[kept.host] = counts.get(kept.host, 0) + 1
    line(
        f"{sum(counts.values())} sessions were found: "
        + (", ".join([f"{host} {count}" for host, count in sorted(counts.items())]) or "none")
    )
    line(f"With your consent they, and those to come, are uploaded to {remote.url} and kept there.")
    line(
        "Secrets, paths, reasoning and system prompts are left out; what tools answer is cut. `memory-wire agent revoke` stops it at once."
    )
    sys.stdout.write(f"Type {ANSWER!r} to agree: ")
    sys.stdout.flush()
    if sys.stdin.readline().strip() != ANSWER:
        line("not agreed; nothing is read or uploaded")
        return 1
    state.consent(remote)
    line("agreed")
    return 0
