"""Completion scripts, run by the shells themselves: bash always, zsh and fish where they are installed."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_wire.cli import completion
from memory_wire.cli.args import parse
from memory_wire.cli.main import commands

SHELLS = [name for name in ("bash", "zsh", "fish") if shutil.which(name)]
CASES = {  # what is typed -> what is offered
    "memory-wire serv": {"serve", "service"},
    "memory-wire service un": {"uninstall"},
    "memory-wire recall --bud": {"--budget"},
    "memory-wire service install --sync nor": {"normal"},
    "memory-wire daemon sta": {"start", "status"},
    "memory-wire help rec": {"recall"},
    "memory-wire skill --install claude": {"claude-code"},
    "memory-wire recall --nothing-like-it": set(),
    "memory-wire completion fi": {"fish"},
    "memory-wire connect codex roo": {"roo-code"},
    "memory-wire serve --allow-n": {"--allow-network-fs"},
}
BASH = """
source "$1"
[ "$(complete -p memory-wire)" = 'complete -F _memory_wire memory-wire' ] || exit 9
read -ra COMP_WORDS <<< "$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_memory_wire
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script of each shell, as a user makes them."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in completion.SCRIPTS:
        done = subprocess.run([sys.executable, "-m", "memory_wire", "completion", shell], capture_output=True, timeout=60, check=True)
        (folder / shell).write_bytes(done.stdout)
    return folder


def offered(shell: str, script: Path, typed: str) -> set[str]:
    """What bash or fish offers for the line."""
    if shell == "fish":
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"]
    else:
        command = ["bash", "--norc", "-c", BASH, "-", str(script), typed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "HOME": str(script.parent)})
    assert (done.returncode, done.stderr) == (0, ""), done
    return {line.partition("\t")[0] for line in done.stdout.split("\n") if line}


def completed(script: Path, typed: str) -> str:
    """The line after TAB in zsh, which completes in its line editor only: it is typed on a terminal, and a widget writes it to a file."""
    told = script.parent / "told"
    told.unlink(missing_ok=True)
    setup = (
        f"autoload -Uz compinit; compinit -u -D; source {script}; unsetopt beep\n"
        f"tell() {{ print -r -- $BUFFER > {told}.new && mv {told}.new {told} }}\n"
        "zle -N tell; bindkey '^X' tell; bindkey '^I' complete-word\n"
        f"echo > {told}\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(HOME=str(script.parent), TERM="dumb")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        os.write(terminal, setup.encode())
        drain(terminal, told)
        told.unlink()
        os.write(terminal, typed.encode() + b"\t\x18")
        drain(terminal, told)
        return told.read_text().rstrip("\n")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def drain(terminal: int, until: Path) -> None:
    """Takes what the shell shows until the file is there."""
    shown, limit = b"", time.monotonic() + 30
    while not until.exists():
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 65536)
        assert time.monotonic() < limit, shown


@pytest.mark.parametrize("typed", CASES)
@pytest.mark.parametrize("shell", [name for name in SHELLS if name != "zsh"])
def test_what_is_offered(shell: str, typed: str, scripts: Path) -> None:
    assert offered(shell, scripts / shell, typed) == CASES[typed]


def zsh_completes(typed: str, scripts: Path) -> None:
    [word] = CASES[typed]
    assert completed(scripts / "zsh", typed).rstrip() == f"{typed.rpartition(' ')[0]} {word}"


if "zsh" in SHELLS:
    test_zsh_completes = pytest.mark.parametrize("typed", [typed for typed, words in CASES.items() if len(words) == 1])(zsh_completes)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_its_script(shell: str, scripts: Path) -> None:
    done = subprocess.run([shell, "-n", str(scripts / shell)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_verb_and_option_is_in_every_script(scripts: Path) -> None:
    for shell in completion.SCRIPTS:
        text = (scripts / shell).read_text()
        for command in commands().values():
            assert re.search(rf"\b{command.name}\b", text), (shell, command.name)
            for option in command.options:
                assert (f"-l {option.name} " if shell == "fish" else f"--{option.name}") in text, (shell, command.name, option.name)


def test_json_and_an_unknown_shell() -> None:
    command = [sys.executable, "-m", "memory_wire", "completion"]
    done = subprocess.run([*command, "bash", "--json"], capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)["script"].startswith("# bash completion")
    refused = subprocess.run([*command, "tcsh"], capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2 and "bash, zsh or fish" in refused.stderr


def test_values_with_a_fixed_set_of_words_are_held_to_it() -> None:
    command = commands()["service"]
    assert parse(command, ["install", "--sync", "full"]) == {"action": "install", "sync": "full"}
