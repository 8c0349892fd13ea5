"""What uvloop, msgspec and httptools are shown while they load in a slim server, in place of modules they name but don't need here.

They bind what they need once, at import: classes for isinstance checks, functions of features that the server doesn't use (TLS, child
processes, executors, name lookups). Only slim.py uses this module; nothing of it is left in sys.modules afterwards.
"""

from __future__ import annotations

import sys
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

Names = dict[str, object]


class Absent:
    """A class or function of a feature that is off in this process."""

    def __init__(self, *args: object, **keywords: object) -> None:
        raise RuntimeError("not available in a slim server; MEMORY_WIRE_SLIM=0 starts with everything")


def absent(*names: str) -> Names:
    """Distinct classes by name, none of which has instances."""
    return {name: type(name, (Absent,), {}) for name in names}


def failures(*names: str) -> Names:
    """Distinct exception classes by name."""
    return {name: type(name, (OSError,), {}) for name in names}


class CancelledError(BaseException):
    """What uvloop gives for a request it has cancelled."""


class Transports:
    """uvloop's transports by descriptor, not kept alive; a number that was given to another descriptor is overwritten."""

    def __init__(self) -> None:
        self.refs: dict[int, ref[object]] = {}

    def __setitem__(self, descriptor: int, transport: object) -> None:
        self.refs[descriptor] = ref(transport)

    def __getitem__(self, descriptor: int) -> object:
        found = self.refs[descriptor]()
        if found is None:
            raise KeyError(descriptor)
        return found


class Logger:
    """uvloop's last resort, for errors that not even the loop's exception handler has taken: a line on stderr."""

    def error(self, message: str, *args: object, exc_info: object = None) -> None:
        text = message % args if args else message
        failure = exc_info[1] if isinstance(exc_info, tuple) and len(exc_info) > 1 else exc_info
        sys.stderr.write(f"memory-wire: loop: {text}{f': {failure!r}' if failure else ''}\n")

    warning = error

    def info(self, message: str, *args: object) -> None:
        return


class Future:
    """A result that comes later, awaited by one Task."""

    __slots__ = ("__weakref__", "error", "ready", "result_", "waiter")

    def __init__(self, *, loop: object = None) -> None:
        self.ready = False
        self.result_: object = None
        self.error: BaseException | None = None
        self.waiter: Callable[[], None] | None = None

    def done(self) -> bool:
        return self.ready

    def cancelled(self) -> bool:
        return isinstance(self.error, CancelledError)

    def cancel(self, msg: object = None) -> bool:
        if not self.ready:
            self.finish(None, CancelledError())
            return True
        return False

    def set_result(self, result: object) -> None:
        self.finish(result, None)

    def set_exception(self, error: BaseException) -> None:
        self.finish(None, error)

    def finish(self, result: object, error: BaseException | None) -> None:
        if self.ready:
            raise RuntimeError("the result is set already")
        self.ready, self.result_, self.error = True, result, error
        if self.waiter is not None:
            self.waiter()

    def __await__(self):  # type: ignore[no-untyped-def]
        if not self.ready:
            yield self
        if self.error is not None:
            raise self.error
        return self.result_


class Task(Future):
    """Drives a coroutine on the loop. What it raises goes to the loop's exception handler unless somebody awaits it."""

    __slots__ = ("coroutine", "loop")

    def __init__(
        self, coroutine: Coroutine[Future, object, object], *, loop: object, context: object = None, eager_start: object = None
    ) -> None:
        Future.__init__(self)
        self.coroutine = coroutine
        self.loop = loop
        loop.call_soon(self.step)  # type: ignore[attr-defined]

    def step(self) -> None:
        try:
            awaited = self.coroutine.send(None)
        except StopIteration as end:
            self.set_result(end.value)
        except BaseException as error:
            if self.waiter is None:
                self.loop.call_exception_handler({"message": "a task failed", "exception": error})  # type: ignore[attr-defined]
            self.set_exception(error)
            if not isinstance(error, Exception) and not isinstance(error, CancelledError):
                raise
        else:
            awaited.waiter = self.wake

    def wake(self) -> None:
        self.loop.call_soon(self.step)  # type: ignore[attr-defined]


async def nothing() -> None:
    return


def is_coroutine(found: object) -> bool:
    return type(found) is COROUTINE


sample = nothing()
COROUTINE = type(sample)
sample.close()


def is_coroutine_function(found: object) -> bool:
    return bool(getattr(getattr(found, "__code__", None), "co_flags", 0) & 0x80)


def tls() -> dict[str, Names]:
    """`ssl`: uvloop's transports without TLS never ask for more than that their classes exist."""
    errors = failures("SSLError", "SSLWantReadError", "SSLSyscallError", "SSLZeroReturnError", "CertificateError")
    codes: Names = {"SSL_ERROR_WANT_READ": 2, "SSL_ERROR_WANT_WRITE": 3, "SSL_ERROR_SYSCALL": 5}
    return {"ssl": {**absent("SSLContext", "MemoryBIO", "create_default_context"), **errors, **codes}}


def loop() -> dict[str, Names]:
    """`asyncio` with futures and tasks of our own: nothing of the real package is loaded, so nothing of it is changed either."""
    names: Names = {
        **absent("Protocol", "BaseProtocol", "Transport", "AbstractChildWatcher", "AbstractEventLoop"),
        **absent("ensure_future", "gather", "wait", "wrap_future", "get_event_loop"),
        **failures("InvalidStateError", "TimeoutError"),
        "CancelledError": CancelledError,
        "Future": Future,
        "Task": Task,
        "iscoroutine": is_coroutine,
        "iscoroutinefunction": is_coroutine_function,
        "isfuture": lambda found: isinstance(found, Future),
    }
    empty = dict.fromkeys(("base_events", "sslproto", "coroutines", "futures"), Names())
    parts: dict[str, Names] = {**empty, "log": {"logger": Logger()}, "transports": absent("_FlowControlMixin")}
    return {"asyncio": names, **{f"asyncio.{part}": found for part, found in parts.items()}}


def library() -> dict[str, Names]:
    """Modules of the standard library: the C part where there is one, else the few names that are bound."""
    import _collections_abc
    import _socket
    import _thread
    import _warnings

    main = type("Main", (), {"ident": _thread.get_ident()})()
    return {
        "collections": {**inside("_collections"), "abc": _collections_abc, **absent("Counter")},
        "collections.abc": vars(_collections_abc),
        "concurrent": {},
        "concurrent.futures": absent("ThreadPoolExecutor", "Future"),
        "datetime": inside("_datetime"),
        "decimal": absent("Decimal"),
        "enum": {"EnumMeta": type("EnumMeta", (type,), {}), "IntEnum": int},
        "functools": {**inside("_functools"), "lru_cache": lru_cache},
        "inspect": {"isgenerator": lambda found: False, "iscoroutinefunction": is_coroutine_function, "iscoroutine": is_coroutine},
        "re": absent("compile"),
        "signal": inside("_signal"),
        "socket": {**vars(_socket), **absent("socket", "AddressFamily", "SocketKind")},
        "subprocess": {**absent("Popen"), **failures("SubprocessError"), "PIPE": -1, "STDOUT": -2, "DEVNULL": -3},
        "threading": {**absent("Thread"), "main_thread": lambda: main},
        "traceback": absent("StackSummary", "walk_stack", "format_list"),
        "typing": absent(
            "Any", "ClassVar", "Final", "Generic", "Literal", "Optional", "Protocol", "TypeAliasType", "TypeVar", "Union", "_GenericAlias"
        ),
        "types": {"UnionType": type(int | None), "GenericAlias": type(list[int]), "ModuleType": type(sys)},
        "uuid": {**absent("UUID"), "SafeUUID": type("SafeUUID", (), {"unknown": None})},
        "warnings": {"warn": _warnings.warn},
        "weakref": {"WeakValueDictionary": Transports, "WeakSet": set},
    }


def inside(name: str) -> Names:
    """The names of a C module."""
    __import__(name)
    return vars(sys.modules[name])


def lru_cache(maxsize: int) -> Callable[[Callable[..., object]], object]:
    """SQLite's cache of prepared statements."""
    wrapper: Callable[..., object] = inside("_functools")["_lru_cache_wrapper"]  # type: ignore[assignment]
    return lambda function: wrapper(function, maxsize, False, tuple)


def msgspec() -> dict[str, Names]:
    """msgspec's Python half: of all it does, reading the annotations of Structs is what a server needs."""
    kinds = {kind: kind for kind in (list, tuple, set, frozenset, dict)}
    never = absent("get_type_hints", "call_annotate_forwardref", "get_typeddict_info", "get_dataclass_info", "convert_generic_alias")
    helpers: Names = {
        **never,
        **absent("_AnnotatedAlias"),
        "_CONCRETE_TYPES": kinds,
        "get_class_annotations": field_types,
        "rebuild": lambda cls, keywords: cls(**keywords),
    }
    return {"msgspec._utils": helpers, "msgspec._json_schema": absent("schema", "schema_components")}


def field_types(cls: type) -> Names:
    """Field types of a Struct by name, bases' included; generic Structs are not for a slim server."""
    found: Names = {}
    for base in cls.__mro__:
        space = vars(sys.modules[base.__module__])
        for name, value in getattr(base, "__annotations__", {}).items():
            if name not in found:
                found[name] = eval(value, space) if isinstance(value, str) else value
    return found
