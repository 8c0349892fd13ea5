"""The memory slot of hermes as its providers see it: base class, loader of user plugins, and the calls of a turn in the host's order."""

from __future__ import annotations

import importlib.util
import sys
import types
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any


class MemoryProvider(ABC):
    """What the host's base class demands and what it has defaults for."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def is_available(self) -> bool: ...

    @abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None: ...

    @abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]: ...

    def recall_status(self) -> None:
        return None

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        return None

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        return None


class Host:
    """One agent of hermes with the provider found in its plugins folder."""

    def __init__(self, home: Path, session: str = "h1", **kwargs: Any) -> None:
        self.home, self.session, self.turn = home, session, 0
        self.provider = load(home / "plugins" / "memory-wire")
        if self.provider.is_available():
            self.provider.initialize(session, hermes_home=str(home), platform="cli", **kwargs)
        self.history: list[dict[str, Any]] = []

    def ask(self, prompt: str) -> str:
        """Begins a turn; gives what is put before the model. The loop asks again for each call of the model."""
        self.turn += 1
        self.provider.on_turn_start(self.turn, prompt)
        block = self.provider.prefetch(prompt, session_id=self.session)
        assert self.provider.prefetch(prompt, session_id=self.session) == block
        self.provider.recall_status()
        self.history.append({"role": "user", "content": prompt})
        return str(block)

    def answer(self, text: str) -> None:
        self.history.append({"role": "assistant", "content": text})
        self.provider.sync_turn(self.history[-2]["content"], text, session_id=self.session, messages=self.history)
        self.provider.queue_prefetch(text, session_id=self.session)

    def end(self) -> None:
        self.provider.on_session_end(self.history)
        self.provider.shutdown()


def load(folder: Path) -> Any:
    """The provider that the package registers, loaded as the host loads user plugins: by path, under a name of the host's."""
    base = types.ModuleType("agent.memory_provider")
    base.MemoryProvider = MemoryProvider  # type: ignore[attr-defined]
    sys.modules.update({"agent": types.ModuleType("agent"), "agent.memory_provider": base})
    name = f"_hermes_user_memory_{abs(hash(str(folder)))}"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found: list[Any] = []
    context = types.SimpleNamespace(register_memory_provider=found.append)
    module.register(context)
    [provider] = found
    assert isinstance(provider, MemoryProvider)
    return provider
