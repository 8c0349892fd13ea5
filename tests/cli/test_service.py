"""The systemd units as a user gets them: written by a real process into a home of its own, read back the way systemd reads them."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.cli import service, units
from memory_wire.cli.serve import values_of
from memory_wire.errors import Invalid


def run(home: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`memory-wire service …` of a user whose home is the folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_WIRE_", "XDG_"))}
    command = [sys.executable, "-m", "memory_wire", "service", *words]
    return subprocess.run(command, capture_output=True, text=True, env=clean | {"HOME": str(home)} | env, timeout=60, check=False)


def settings(path: Path) -> dict[str, list[str]]:
    """Every setting of a unit with its values in order, keyed `Section.Name`."""
    found: dict[str, list[str]] = {}
    section = ""
    for text in path.read_text().splitlines():
        if text.startswith("["):
            section = text.strip("[]")
        elif text and not text.startswith("#"):
            name, _, value = text.partition("=")
            found.setdefault(f"{section}.{name}", []).append(value)
    return found


def words(line: str) -> list[str]:
    """A command line split as systemd.service(5) says: double quotes, backslash within them, `%%` and, after the program, `$$`."""
    found, word, at, inside, any_ = [], "", 0, False, False
    while at < len(line):
        sign = line[at]
        if sign == '"':
            inside, any_ = not inside, True
        elif sign == "\\":
            at += 1
            word += line[at]
        elif sign == " " and not inside:
            found, word, any_ = found + [word] * bool(word or any_), "", False
        else:
            word += sign
        at += 1
    found += [word] * bool(word or any_)
    plain = [each.replace("%%", "%") for each in found]
    return [plain[0], *(each.replace("$$", "$") for each in plain[1:])]


def test_install_status_uninstall(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "systemd" / "user"
    assert run(tmp_path, "status").returncode == 1
    done = run(tmp_path, "install")
    assert (done.returncode, done.stderr) == (0, "")
    assert "systemctl --user enable --now memory-wire.socket" in done.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["memory-wire.service", "memory-wire.socket"]
    assert settings(folder / "memory-wire.socket")["Socket.ListenStream"] == ["127.0.0.1:8888"]
    program, *rest = words(*settings(folder / "memory-wire.service")["Service.ExecStart"])
    assert os.access(program, os.X_OK)
    assert rest[rest.index("serve") :] == [
        "serve",
        "--db",
        str(tmp_path / ".local" / "share" / "memory-wire" / "memory.db"),
        "--exit-idle",
        "300",
    ]
    named = tmp_path / ".local" / "share" / "memory-wire" / "service.json"
    assert (json.loads(named.read_text()), named.stat().st_mode & 0o777) == ({"addr": "127.0.0.1:8888"}, 0o600)
    assert run(tmp_path, "status").returncode == 0
    link = folder / "sockets.target.wants" / "memory-wire.socket"
    link.parent.mkdir()
    link.symlink_to(folder / "memory-wire.socket")
    assert json.loads(run(tmp_path, "status", "--json").stdout) == {
        "units": {"memory-wire.socket": "written", "memory-wire.service": "written"},
        "folder": str(folder),
        "enabled": True,
        "running": None,
    }
    assert run(tmp_path, "uninstall").returncode == 0
    assert [path for path in folder.rglob("*") if not path.is_dir()] == []
    assert run(tmp_path, "uninstall").stdout == "not there\n" and not named.exists()


def test_everything_asked_for_is_in_the_units(tmp_path: Path) -> None:
    config = tmp_path / "config"
    asked = "--addr localhost:9000 --sync normal --allow-host box --allow-host foo,bar --exit-idle 0".split()
    odd = tmp_path / 'a b%d/$x/"m\\".db'
    done = run(tmp_path, "install", *asked, "--socket", "~/my dir/%s", "--db", str(odd), XDG_CONFIG_HOME=str(config))
    assert (done.returncode, done.stderr) == (0, "")
    folder = config / "systemd" / "user"
    listen = settings(folder / "memory-wire.socket")["Socket.ListenStream"]
    assert [each.replace("%%", "%") for each in listen] == ["127.0.0.1:9000", str(tmp_path / "my dir" / "%s")]
    rest = words(*settings(folder / "memory-wire.service")["Service.ExecStart"])
    assert values_of(rest[rest.index("serve") + 1 :]) == {"db": [str(odd)], "sync": ["normal"], "allow-host": ["box", "foo", "bar"]}


def test_the_server_understands_its_words() -> None:
    """`--addr` and `--socket` are not among them: the sockets come from systemd."""
    given = values_of(service.words_of({"exit_idle": 60.0, "sync": "full"})[1:])
    assert set(given) == {"db", "sync", "exit-idle"}


LAUNCH = """
import os, sys
for place, descriptor in enumerate(map(int, sys.argv[1].split(",")), 3):
    os.dup2(descriptor, place, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(place - 2))
os.execv(sys.argv[2], sys.argv[2:])
"""


def start(command: list[str], sockets: list[socket.socket]) -> subprocess.Popen[str]:
    """The command as systemd starts it: the sockets are descriptors 3 and up, and it knows that they are meant for it."""
    held = [os.dup(each.fileno()) for each in sockets]  # of numbers above those that they get
    high = [fcntl.fcntl(each, fcntl.F_DUPFD, 50) for each in held]
    launch = [sys.executable, "-c", LAUNCH, ",".join(map(str, high)), *command]
    started = subprocess.Popen(launch, pass_fds=high, stderr=subprocess.PIPE, text=True)
    for each in held + high:
        os.close(each)
    return started


def ask(path: str, address: tuple[str, int] | str) -> bytes:
    """The answer to one GET, however long the server takes to come up."""
    with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as link:
        link.settimeout(30)
        link.connect(address)
        link.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
        return link.makefile("rb").read()


def test_the_units_start_a_server_when_it_is_asked_and_let_it_go(tmp_path: Path) -> None:
    """What systemd does with the two units, by hand: bind, wait for a client, run the command, and again after it has left."""
    assert run(tmp_path, "install", "--socket", str(tmp_path / "s"), "--exit-idle", "0.2").returncode == 0
    folder = tmp_path / ".config" / "systemd" / "user"
    command = words(*settings(folder / "memory-wire.service")["Service.ExecStart"])
    assert settings(folder / "memory-wire.socket")["Socket.ListenStream"][1] == str(tmp_path / "s")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "s"))
        unix.listen()
        for address in (tcp.getsockname(), str(tmp_path / "s")):
            with start(command, [tcp, unix]) as server:
                assert b" 200 " in ask("/ready", address).partition(b"\r\n")[0]
                said = server.communicate(timeout=30)[1]
                assert server.returncode == 0, said
        assert (tmp_path / "s").exists()


def test_units_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    own = tmp_path / ".config" / "systemd" / "user" / "memory-wire.service"
    own.parent.mkdir(parents=True)
    own.write_text("[Service]\nExecStart=/bin/true\n")
    for action in ("install", "uninstall"):
        refused = run(tmp_path, action)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"{own} was not written by this command" in refused.stderr
        assert [path.name for path in own.parent.iterdir()] == ["memory-wire.service"]
    assert own.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert "not ours" in run(tmp_path, "status").stdout
    assert run(tmp_path, "install", "--force").returncode == 0
    assert run(tmp_path, "status").returncode == 0


def test_status_sees_that_the_program_is_gone(tmp_path: Path) -> None:
    assert run(tmp_path, "install").returncode == 0
    unit = tmp_path / ".config" / "systemd" / "user" / "memory-wire.service"
    program = words(*settings(unit)["Service.ExecStart"])[0]
    unit.write_text(unit.read_text().replace(f"={program}", "=/nowhere/memory-wire"))
    done = run(tmp_path, "status")
    assert done.returncode == 1
    assert "program missing" in done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("install --addr box:8888", "numeric host"),
        ("install --addr 127.0.0.1", "numeric host"),
        ("install --addr 127.0.0.1:0", "host:port"),
        ("install --addr 127.0.0.1:65536", "host:port"),
        ("install --addr ::1:8888", "host:port"),
        ("install --addr none", "--socket"),
        (f"install --socket /{'x' * 107}", "107 bytes"),
        ("install --exit-idle -1", "number of seconds"),
        ("install --exit-idle nan", "number of seconds"),
        ("install --sync loose", "full or normal"),
        ("install --db /a\nExecStart=/bin/false", "can't hold"),
        ("restart", "install, uninstall or status"),
    ],
)
def test_what_units_cannot_say_is_refused(tmp_path: Path, asked: str, said: str) -> None:
    done = run(tmp_path, *asked.split(" "))
    assert done.returncode == 2
    assert said in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_addresses_systemd_takes() -> None:
    assert [service.numeric(addr) for addr in ("0.0.0.0:80", "[::1]:8888", "localhost:1")] == ["0.0.0.0:80", "[::1]:8888", "127.0.0.1:1"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("")
    done = run(tmp_path, "install")
    assert (done.returncode, done.stdout) == (1, "")
    assert "memory-wire.socket: Not a directory" in done.stderr


@given(st.lists(st.text(), min_size=1))
def test_any_word_comes_back_from_its_quotes(command: list[str]) -> None:
    if all(word.isprintable() for word in command) and command[0]:
        text = units.service_unit(command)
        line = next(each for each in text.splitlines() if each.startswith("ExecStart="))
        assert words(line.removeprefix("ExecStart=")) == command
        assert units.program_of(text) == command[0]
    elif command[0]:
        with pytest.raises(Invalid):
            units.service_unit(command)
