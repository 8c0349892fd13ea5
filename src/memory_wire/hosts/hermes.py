"""hermes: a memory provider in its plugins folder, and `memory.provider` in its configuration, which names the one in use.

The displaced provider is kept in the trace and put back. Only that scalar is touched: the YAML is read by ruamel.yaml for its positions and
spliced, so every other byte stays.
"""

from __future__ import annotations

import os

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Environment, Host, Refused, Slot, State, Trace, Wiring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "memory-wire"
SNIPPET = f"memory:\n  provider: {NAME}\n"


class Provider:
    """The scalar `memory.provider`."""

    label = "memory.provider"
    mode = 0o600  # the host keeps keys in this file
    counts = True

    def __init__(self, path: str) -> None:
        self.path = path

    def look(self, text: str | None, trace: Trace) -> State:
        value = None if text is None else self.provider(self.memory(text))
        return "same" if value is not None and value.value == NAME else "absent"

    def put(self, text: str | None, trace: Trace) -> str:
        if text is None:
            trace.made.append("file")
            return SNIPPET
        memory = self.memory(text)
        value = self.provider(memory)
        if value is not None:
            start, end = value.start_mark.index, value.end_mark.index
            trace.kept[self.label] = text[start:end]
            gap = " " if text[start - 1] == ":" else ""  # a key without a value
            return text[:start] + gap + NAME + text[end:]
        if memory is None:
            added = ("" if not text or text.endswith("\n") else "\n") + SNIPPET
            return noted(text, len(text), added, trace)
        if memory.value == "":  # `memory:` with nothing below it
            return noted(text, memory.start_mark.index, f"\n  provider: {NAME}", trace)
        first = memory.value[0][0].start_mark
        return noted(text, first.index, f"provider: {NAME}\n{' ' * first.column}", trace)

    def take(self, text: str, trace: Trace) -> str | None:
        value = self.provider(self.memory(text))
        if value is None or value.value != NAME:
            return text
        before, added = trace.kept.pop(self.label, None), trace.wrote.pop(self.label, "")
        start, end = value.start_mark.index, value.end_mark.index
        if before is not None:
            return text[: start - (not before and text[start - 1] == " ")] + before + text[end:]
        if text == SNIPPET and ("file" in trace.made or not trace.known):
            return None
        at = text.find(added, max(0, start - len(added))) if added else -1
        if 0 <= at < start:
            return text[:at] + text[at + len(added) :]
        line = text.rfind("\n", 0, start) + 1  # not as we wrote it: the line goes, and `memory:` when nothing else is below it
        rest = text[:line] + text[text.find("\n", end) + 1 or len(text) :]
        return rest.replace("memory:\n", "", 1) if self.memory(rest) and not self.memory(rest).value else rest

    def bank(self, text: str | None) -> str | None:
        return None

    def snippet(self) -> str:
        return SNIPPET

    def memory(self, text: str) -> Any:
        """The node below the top-level `memory`, None when there is none. Raises Refused for what can't be edited safely."""
        root = compose(text)
        if root is None:
            return None
        if not is_block(root):
            raise self.refused("the document is no block mapping")
        keys = [key.value for key, _ in root.value]
        if keys.count("memory") > 1 or "provider" in keys:
            raise self.refused("two `memory`" if keys.count("memory") > 1 else "a top-level `provider`")
        found = next((node for key, node in root.value if key.value == "memory"), None)
        if found is None or is_block(found) or (found.value == "" and found.start_mark.index == found.end_mark.index):
            return found
        raise self.refused("`memory` is no block mapping")

    def provider(self, memory: Any) -> Any:
        """The scalar below `memory`, None when there is none. Raises Refused."""
        found = [node for key, node in memory.value if key.value == "provider"] if memory is not None and memory.value != "" else []
        if (
            len(found) > 1
            or (found and not isinstance(found[0].value, str))
            or (found and (found[0].anchor or found[0].style in ("|", ">")))
        ):
            raise self.refused("`memory.provider` is no plain value")
        return found[0] if found else None

    def refused(self, why: str) -> Refused:
        return Refused(f"{why}; left untouched", SNIPPET)


def is_block(node: Any) -> bool:
    return isinstance(node.value, list) and node.flow_style is False and all(isinstance(pair, tuple) for pair in node.value)


def compose(text: str) -> Any:
    """The document's node tree with positions, None when it is empty. Raises Refused."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        raise Refused("editing YAML needs ruamel.yaml: `pip install 'memory-wire[connect]'`; left untouched", SNIPPET) from None
    try:
        return YAML(pure=True).compose(text)
    except YAMLError as error:
        said = " ".join(str(error).split())
        raise Refused(f"malformed YAML ({said[:120]}); left untouched", SNIPPET) from None


def noted(text: str, at: int, added: str, trace: Trace) -> str:
    """The text with what is added, which the trace keeps so that exactly that is taken out again."""
    trace.wrote[Provider.label] = added
    return text[:at] + added + text[at:]


class Hermes(Host):
    name = "hermes"
    title = "hermes"
    binaries = ("hermes",)

    def folders(self, env: Environment) -> list[str]:
        return [env.folder("HERMES_HOME", ".hermes")]

    def slots(self, env: Environment, wiring: Wiring) -> list[Slot]:
        home = env.folder("HERMES_HOME", ".hermes")
        files = [plugin.ProviderFile(os.path.join(home, "plugins", NAME, name), name, wiring) for name in plugin.HERMES]
        return [*files, Provider(os.path.join(home, "config.yaml"))]

    def notes(self, env: Environment) -> list[str]:
        return ["restart hermes: the provider is loaded when it starts"]


HOST = Hermes()
