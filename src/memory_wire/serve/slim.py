"""A server of little memory: a fresh interpreter without other packages' start-up code, dependencies without what they don't need here.

The command line calls `restart` and then `load` before anything else of the server is imported. `MEMORY_WIRE_SLIM=0` switches everything
off, a list like `launch,tls` switches single levels on. Whatever isn't a tested version is loaded in full. README, "Small": what is off.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from memory_wire.serve.standins import Names
else:
    ModuleType = type(sys)  # the module types is one more to keep

LEVELS = {
    "launch": "a fresh interpreter, isolated and without site: no .pth file runs code in the server",
    "packages": "of msgspec, httptools and sqlite3 only the C modules",
    "tls": "uvloop without ssl: no TLS",
    "library": "stand-ins for typing, logging, inspect, threading, socket, … while the dependencies load",
    "loop": "futures and tasks of our own for uvloop; the asyncio package isn't loaded",
}
PYTHONS = ((3, 11), (3, 12), (3, 13))
TESTED = {  # level: {package: versions}; what is tested is in tests/footprint
    "launch": {},
    "packages": {"msgspec": ("0.23.0",), "httptools": ("0.9.0",)},
    "tls": {"uvloop": ("0.23.0",)},
    "library": {"uvloop": ("0.23.0",), "msgspec": ("0.23.0",), "httptools": ("0.9.0",)},
    "loop": {"uvloop": ("0.23.0",)},
}
BOOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "boot.py")
PATH_OPTION = "memory_wire"  # -X option that hands the module search path over
BIND = "LD_BIND_NOW"  # symbols are looked up at start, in pages that are dropped then, instead of at the first call
STRUCTS = (  # what the package msgspec takes from its C module
    "NODEFAULT UNSET DecodeError EncodeError Meta MsgspecError Raw Struct StructMeta UnsetType ValidationError "
    "convert defstruct to_builtins"
)


class Standin(ModuleType):
    """Takes the place of a module while others load. The only names it has are those it was given."""

    def __init__(self, name: str, names: Names) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__dict__.update({key: value for key, value in names.items() if not key.startswith("__")})


def wanted() -> frozenset[str]:
    """The levels that MEMORY_WIRE_SLIM names. Raises ValueError."""
    value = os.environ.get("MEMORY_WIRE_SLIM", "1")
    if value in ("1", ""):
        return frozenset(LEVELS)
    if value == "0":
        return frozenset()
    names = frozenset(value.split(","))
    if not names <= LEVELS.keys():
        raise ValueError(f"MEMORY_WIRE_SLIM is 0, 1 or a list of {', '.join(LEVELS)}, not {value!r}")
    return names


# a fresh interpreter ---------------------------------------------------------------------------------------------------------------


def restart(words: Sequence[str]) -> None:
    """Replaces this process by an isolated interpreter that runs `serve` with the same words; returns when it is one, or must not be.

    Only a process started as the command itself is replaced, never one that runs somebody else's program. The process id stays.
    """
    main = sys.modules["__main__"]
    started = os.path.basename(getattr(main, "__file__", None) or "")
    if "launch" not in wanted() or started not in ("memory-wire", "__main__.py") or sys.flags.no_site or not sys.executable:
        return
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    library = os.path.dirname(os.__file__)  # the new interpreter finds it by itself
    others = [os.path.abspath(entry) for entry in (sys.path if sys.flags.safe_path else sys.path[1:]) if os.path.exists(entry)]
    others = [entry for entry in others if entry not in (library, os.path.join(library, "lib-dynload"))]
    path = others if root in others else [root, *others]
    again(["-I", "-S", "-X", f"{PATH_OPTION}={os.pathsep.join(path)}"], words)


def again(options: Sequence[str], words: Sequence[str]) -> None:
    """Starts over in this process with the interpreter options given and those that were given to us."""
    switches = [f"-X{name}" if value is True else f"-X{name}={value}" for name, value in sys._xoptions.items()]
    warned = [f"-W{option}" for option in sys.warnoptions]
    warned += ["-B"] * sys.flags.dont_write_bytecode
    optimise = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    sys.stdout.flush()
    sys.stderr.flush()
    bind = {} if BIND in os.environ else {BIND: "memory-wire"}
    os.execve(sys.executable, [sys.executable, *options, *switches, *warned, *optimise, BOOT, "serve", *words], {**os.environ, **bind})


# loading ---------------------------------------------------------------------------------------------------------------------------


def load(words: Sequence[str] = ()) -> None:
    """Imports uvloop, msgspec, httptools and SQLite with the levels that are wanted and tested; warns of those that aren't.

    Should that fail, the process starts over with everything, `words` being the arguments of `serve`; where it may not, it raises.
    """
    if sys.flags.no_site and not compiled():
        where = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        warn(f"modules are compiled at every start: run `python -m compileall -q {where}` once")
    if os.environ.get(BIND) == "memory-wire":
        del os.environ[BIND]  # ours, not for the children
    levels = set() if sys.flags.dev_mode else set(wanted())  # what watches callbacks in that mode needs the whole library
    reasons = {level: reason for level in sorted(levels) if (reason := untested(level))}
    for reason in sorted(set(reasons.values())):
        off = ", ".join(level for level in reasons if reasons[level] == reason)
        warn(f"{reason}: {off} of MEMORY_WIRE_SLIM is off, the server takes more memory")
    try:
        load_levels(levels - reasons.keys())
    except Exception as error:
        if PATH_OPTION not in sys._xoptions or not wanted():
            raise
        warn(f"starting with everything, less failed: {type(error).__name__}: {error}")
        os.environ["MEMORY_WIRE_SLIM"] = "0"
        again(["-I", "-S"], words)


def load_levels(levels: set[str]) -> None:
    """Imports what the levels leave."""
    if "loop" not in levels:
        asyncio_without("ssl" if "tls" in levels else "")
    shown = dict(standins(levels))
    try:
        if "packages" in levels:
            packages()
        if levels & {"tls", "library", "loop"}:
            uvloop = package("uvloop", "uvloop.loop")
            uvloop.__dict__["Loop"] = sys.modules["uvloop.loop"].Loop
    finally:
        withdraw(shown)


def warn(text: str) -> None:
    sys.stderr.write(f"memory-wire: warning: {text}\n")


def compiled() -> bool:
    """Whether this package's modules lie compiled beside their sources. Compiling them at the start costs time, and memory for good."""
    cached = getattr(__spec__, "cached", None)
    return cached is not None and os.path.exists(cached)


def structs() -> None:
    """Imports of msgspec what a command needs, in a fifth of the time of the package; does nothing where that is off or not tested."""
    levels = {"packages", "library"}
    try:
        fits = levels <= wanted() and not any(untested(level) for level in levels) and "msgspec" not in sys.modules
    except (ValueError, ImportError):  # told by those who can't do without
        return
    if fits:
        shown = dict(standins(levels))
        try:
            msgspec_core()
        finally:
            withdraw(shown)


def withdraw(shown: dict[str, ModuleType]) -> None:
    """Takes the stand-ins out of sys.modules: who imports such a module from now on gets the genuine one."""
    for name, module in shown.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]


def untested(level: str) -> str:
    """Why a level must stay off; empty when it needn't."""
    if sys.version_info[:2] not in PYTHONS or sys.implementation.name != "cpython":
        return f"Python {sys.version_info[0]}.{sys.version_info[1]} is not among the tested versions"
    for name, versions in TESTED[level].items():
        found = version(name)
        if found not in versions:
            return f"{name} {found} is not among the tested versions"
    return ""


def version(name: str) -> str:
    """The version in a package's own `_version.py`, read as text: importing it would load the package."""
    try:
        with open(os.path.join(folder(name), "_version.py")) as file:
            found = [line for line in file if line.startswith("__version__ =")]
    except OSError:
        return "of unknown version"
    return found[0].rpartition("=")[2].strip().strip("'\"") if found else "of unknown version"


def folder(name: str) -> str:
    """Where a package lies. Raises ImportError."""
    for entry in sys.path:
        path = os.path.join(entry, *name.split("."))
        if os.path.isdir(path):
            return path
    raise ImportError(f"no package {name}", name=name)


def standins(levels: set[str]) -> Iterator[tuple[str, ModuleType]]:
    """Puts the stand-ins of the levels into sys.modules; a module that is loaded already stays."""
    if levels <= {"launch"}:
        return
    from memory_wire.serve import standins as given

    groups: dict[str, Callable[[], dict[str, Names]]] = {
        "packages": given.msgspec,
        "tls": given.tls,
        "library": given.library,
        "loop": given.loop,
    }
    for level, group in groups.items():
        if level in levels:
            for name, names in group().items():
                if name not in sys.modules:
                    module = sys.modules[name] = Standin(name, names)
                    parent, _, child = name.rpartition(".")
                    if isinstance(sys.modules.get(parent), Standin):
                        setattr(sys.modules[parent], child, module)
                    yield name, module


def packages() -> None:
    """Packages of which only the C modules and what those need are loaded; anything else of them is, when it is asked for."""
    msgspec_core()
    package("httptools")
    package("httptools.parser", "httptools.parser.parser")
    imported("_sqlite3")  # binds functools' cache
    imported("array")  # would load the genuine `collections` later


def msgspec_core() -> None:
    """The package msgspec with the names of its C module, `json` and `structs`, which would load the genuine `typing` later."""
    found = package("msgspec", "msgspec._core")
    core = vars(sys.modules["msgspec._core"])
    found.__dict__.update({name: core[name] for name in STRUCTS.split()}, field=core["Field"])
    found.__dict__["json"] = imported("msgspec.json")
    found.__dict__["structs"] = imported("msgspec.structs")


def asyncio_without(hidden: str) -> None:
    """The whole of asyncio, loaded before any stand-in is; it does without TLS when it finds no ssl."""
    if hidden and hidden not in sys.modules:
        sys.modules[hidden] = None  # type: ignore[assignment]
        imported("asyncio")
        del sys.modules[hidden]
    else:
        imported("asyncio")


def package(name: str, *parts: str) -> ModuleType:
    """A package whose own code hasn't run, with some of its modules loaded."""
    module = sys.modules[name] = ModuleType(name)
    module.__path__ = [folder(name)]
    for part in parts:
        imported(part)
    return module


def imported(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]
