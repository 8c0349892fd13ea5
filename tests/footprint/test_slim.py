"""The reduced imports: what the process does without, that genuine modules are there when asked for, that every level can be off."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bench.footprint import probe
from bench.footprint.server import Server
from memory_wire.serve import slim

LATER = (
    "ssl",
    "logging",
    "asyncio",
    "subprocess",
    "inspect",
    "typing",
    "concurrent.futures",
    "threading",
    "socket",
    "re",
    "sqlite3",
    "enum",
)


def python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in an isolated interpreter with our search path."""
    path = f"import sys; sys.path += {[entry for entry in sys.path if entry]!r}\n"
    command = [sys.executable, "-I", "-S", "-c", path + textwrap.dedent(code)]
    return subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **env}, timeout=60)


def succeeds(code: str, **env: str) -> str:
    done = python(code, **env)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_nothing_of_the_stand_ins_is_left() -> None:
    code = f"""
        from memory_wire.serve import slim
        slim.load()
        assert not [name for name in {LATER!r} if name in sys.modules], sys.modules.keys()
        assert not [name for name, module in sys.modules.items() if isinstance(module, slim.Standin)]
        from importlib import import_module
        for name in {LATER!r}:
            module = import_module(name)
            assert module.__spec__ is not None and module.__file__ and not isinstance(module, slim.Standin), name
        import asyncio, concurrent.futures, ssl, subprocess, typing
        assert ssl.create_default_context().check_hostname
        assert subprocess.run([sys.executable, "-I", "-c", "print(7)"], capture_output=True).stdout == b"7\\n"
        assert typing.get_type_hints(slim.wanted)["return"] == frozenset[str]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            assert pool.submit(pow, 2, 5).result() == 32
        import logging
        logging.getLogger("asyncio").debug("quiet")
        print("done")
    """
    assert succeeds(code) == "done\n"


def test_asyncio_runs_in_a_thread_beside_the_loop() -> None:
    code = """
        from memory_wire.serve import slim
        slim.load()
        from uvloop import Loop
        import _thread
        loop = Loop()
        found = []
        def run():
            import asyncio
            async def work():
                await asyncio.sleep(0.01)
                return await asyncio.gather(asyncio.to_thread(pow, 2, 5), asyncio.sleep(0, "slept"))
            found.append(asyncio.run(work()))
            loop.call_soon_threadsafe(loop.stop)
        _thread.start_new_thread(run, ())
        loop.run_forever()
        loop.close()
        print(found)
    """
    assert succeeds(code) == "[[32, 'slept']]\n"


@pytest.mark.parametrize("levels", ["1", "0", *slim.LEVELS])
def test_failures_in_callbacks_and_tasks_are_reported(levels: str) -> None:
    code = """
        from memory_wire.serve import slim
        slim.load()
        from uvloop import Loop
        import gc
        loop = Loop()
        found = []
        loop.set_exception_handler(lambda loop, context: found.append(repr(context["exception"])))
        def fail():
            raise ValueError("callback")
        async def fail_later():
            raise ValueError("task")
        loop.call_soon(fail)
        loop.create_task(fail_later())
        loop.call_later(0.05, loop.stop)
        loop.run_forever()
        gc.collect()
        loop.close()
        print(*sorted(found))
    """
    assert succeeds(code, MEMORY_WIRE_SLIM=levels) == "ValueError('callback') ValueError('task')\n"


def test_the_loops_last_resort_reaches_stderr() -> None:
    code = """
        from memory_wire.serve import slim
        slim.load()
        from uvloop import Loop
        loop = Loop()
        def broken(loop, context):
            raise KeyError("handler")
        loop.set_exception_handler(broken)
        loop.call_soon(lambda: 1 / 0)
        loop.call_soon(loop.stop)
        loop.run_forever()
        loop.close()
    """
    done = python(code)
    assert done.returncode == 0
    assert "KeyError('handler')" in done.stderr


@pytest.mark.parametrize("levels", [*slim.LEVELS, "launch,packages,tls", "packages,library", "tls,loop"])
def test_every_level_stands_alone(levels: str, tmp_path: Path) -> None:
    with Server(tmp_path, env={"MEMORY_WIRE_SLIM": levels}) as server:
        server.retain("b", {"content": "stored at this level", "tags": ["t"]})
        assert server.recall("b", "stored level", tags=["t"]) == ["stored at this level"]
        if levels == "tls":
            assert not any("_ssl" in name for name in probe.libraries(server.pid))
        assert server.stop() == 0
        assert len(server.log.read_text().splitlines()) == 1, server.log.read_text()


def test_an_unknown_level_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memory_wire", "serve"],
        check=False,
        env={**os.environ, "MEMORY_WIRE_SLIM": "launch,smaller"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "MEMORY_WIRE_SLIM is 0, 1 or a list of" in done.stderr


def test_an_untested_version_is_loaded_in_full(tmp_path: Path) -> None:
    """A uvloop that calls itself 99: its levels are off, one line says so, the server serves."""
    uvloop = next(Path(entry, "uvloop") for entry in sys.path if Path(entry, "uvloop").is_dir())
    shutil.copytree(uvloop, tmp_path / "path" / "uvloop", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "path" / "uvloop" / "_version.py").write_text("__version__ = '99.0'\n")
    inherited = os.environ.get("PYTHONPATH", "")
    with Server(tmp_path / "store", env={"PYTHONPATH": f"{tmp_path / 'path'}{os.pathsep}{inherited}"}) as server:
        server.retain("b", {"content": "served all the same"})
        assert server.stop() == 0
    warning, serving = server.log.read_text().splitlines()
    assert "serving" in serving
    assert "uvloop 99.0 is not among the tested versions: library, loop, tls of" in warning


def test_the_process_id_and_the_options_stay(tmp_path: Path) -> None:
    with Server(tmp_path, options=("-X", "utf8", "-W", "error")) as server:
        words = Path(f"/proc/{server.pid}/cmdline").read_bytes().split(b"\0")
        assert {b"-I", b"-S", b"-Xutf8", b"-Werror", b"serve"} <= set(words)
        assert server.stop() == 0


def test_a_start_that_fails_is_tried_again_with_everything(tmp_path: Path) -> None:
    """A copy of the package whose stand-ins lack a name that uvloop binds."""
    shutil.copytree(Path(slim.__file__).parents[1], tmp_path / "path" / "memory_wire", ignore=shutil.ignore_patterns("__pycache__"))
    standins = tmp_path / "path" / "memory_wire" / "serve" / "standins.py"
    standins.write_text(standins.read_text().replace('"StackSummary", ', ""))
    inherited = os.pathsep.join([str(tmp_path / "path"), *[entry for entry in sys.path if entry]])
    with Server(tmp_path / "store", env={"PYTHONPATH": inherited}, options=("-X", "utf8")) as server:
        server.retain("b", {"content": "served all the same"})
        assert server.stop() == 0
    warning, serving = server.log.read_text().splitlines()
    assert "serving" in serving
    assert "starting with everything" in warning and "StackSummary" in warning


def test_missing_compiled_modules_are_told(tmp_path: Path) -> None:
    """A copy of the package without its .pyc files, started by somebody who doesn't want any written."""
    source = Path(slim.__file__).parents[1]
    shutil.copytree(source, tmp_path / "path" / "memory_wire", ignore=shutil.ignore_patterns("__pycache__"))
    inherited = os.pathsep.join([str(tmp_path / "path"), *[entry for entry in sys.path if entry]])
    command = [
        sys.executable,
        "-m",
        "memory_wire",
        "serve",
        "--addr",
        "127.0.0.1:0",
        "--exit-idle",
        "0",
        "--db",
        str(tmp_path / "memory.db"),
    ]
    logs = []
    for env in ({"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONDONTWRITEBYTECODE": ""}, {"PYTHONDONTWRITEBYTECODE": "1"}):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": inherited, **env})
        logs.append("compileall" in done.stderr)
    assert logs == [True, False, False]


def test_developer_mode_loads_everything(tmp_path: Path) -> None:
    with Server(tmp_path, options=("-X", "dev")) as server:
        server.retain("b", {"content": "watched"})
        assert any("_ssl" in name for name in probe.libraries(server.pid))
        assert server.stop() == 0
