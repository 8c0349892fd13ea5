"""hermes: a memory provider in its plugins folder, and `memory.provider` in its configuration, which names the one in use.

The displaced provider is kept in the trace and put back. Only that scalar is touched: the YAML is read by ruamel.yaml for its positions and
spliced, so every other byte stays.
"""

from __future__ import annotations

import os
import sys

from memory_wire.hosts import plugin
from memory_wire.hosts.base import Environment, Host, Refused, Slot, State, Trace, Wiring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Pair = tuple[Any, Any]  # nodes of a key and its value

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
        if text is None or NAME not in text:  # then nothing has to be parsed to know it
            return "absent"
        found = self.provider(self.memory(text))
        return "same" if found is not None and found[1].value == NAME else "absent"

    def put(self, text: str | None, trace: Trace) -> str:
        if text is None:
            trace.made.append("file")
            return SNIPPET
        memory = self.memory(text)
        provider = self.provider(memory)
        if provider is not None and not is_empty(provider[1]):
            start, end = provider[1].start_mark.index, provider[1].end_mark.index
            trace.kept[self.label] = text[start:end]
            return text[:start] + NAME + text[end:]
        if provider is not None:
            return noted(text, behind(text, provider[0]), f" {NAME}", trace)
        if memory is None:
            return noted(text, len(text), ("" if not text or text.endswith("\n") else "\n") + SNIPPET, trace)
        if is_empty(memory[1]):
            return noted(text, behind(text, memory[0]), f"\n  provider: {NAME}", trace)
        first = memory[1].value[0][0].start_mark
        return noted(text, first.index, f"provider: {NAME}\n{' ' * first.column}", trace)

    def take(self, text: str, trace: Trace) -> str | None:
        provider = self.provider(self.memory(text))
        if provider is None or provider[1].value != NAME:
            return text
        before, added = trace.kept.pop(self.label, None), trace.wrote.pop(self.label, "")
        start, end = provider[1].start_mark.index, provider[1].end_mark.index
        if before is not None:
            return text[:start] + before + text[end:]
        if text == SNIPPET and ("file" in trace.made or not trace.known):
            return None
        at = text.rfind(added, 0, end + len(added)) if added else -1
        if 0 <= at <= start and below(text) == below(rest := text[:at] + text[at + len(added) :]):
            return rest
        line = text.rfind("\n", 0, start) + 1  # not as we wrote it: the line goes, and `memory:` when nothing else is below it
        rest = text[:line] + text[text.find("\n", end) + 1 or len(text) :]
        left = self.memory(rest)
        if left is None or not is_empty(left[1]):
            return rest
        return rest[: left[0].start_mark.index] + rest[rest.find("\n", left[0].end_mark.index) + 1 :]

    def bank(self, text: str | None) -> str | None:
        return None

    def snippet(self) -> str:
        return SNIPPET

    def memory(self, text: str) -> Pair | None:
        """The top-level `memory`, key and value; None when there is none. Raises Refused for what can't be edited safely."""
        root = compose(text)
        if root is None:
            return None
        if not is_block(root):
            raise self.refused("the document is no block mapping")
        keys = [key.value for key, _ in root.value]
        if keys.count("memory") > 1 or "provider" in keys:
            raise self.refused("two `memory`" if keys.count("memory") > 1 else "a top-level `provider`")
        found: Pair | None = next((pair for pair in root.value if pair[0].value == "memory"), None)
        if found is None or is_block(found[1]) or is_empty(found[1]):
            return found
        raise self.refused("`memory` is no block mapping")

    def provider(self, memory: Pair | None) -> Pair | None:
        """`provider` below `memory`, key and value; None when there is none. Raises Refused."""
        pairs = [] if memory is None or is_empty(memory[1]) else memory[1].value
        found: list[Pair] = [pair for pair in pairs if pair[0].value == "provider"]
        if len(found) > 1 or any(not isinstance(node.value, str) or node.anchor or node.style in ("|", ">") for _, node in found):
            raise self.refused("`memory.provider` is no plain value")
        return found[0] if found else None

    def refused(self, why: str) -> Refused:
        return Refused(f"{why}; left untouched", SNIPPET)


def is_empty(node: Any) -> bool:
    """A key without a value."""
    return bool(node.value == "" and node.style is None)


def behind(text: str, key: Any) -> int:
    """The position behind the colon of a key without a value; where such a value is, the parser doesn't say."""
    return text.index(":", key.end_mark.index) + 1


def below(text: str) -> dict[str, object] | None:
    """What else than the provider is below `memory`, and everything beside it, to compare; None when the text can't be read."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="safe", pure=True).load(text) or {}
    except YAMLError:
        return None
    memory = found.pop("memory", None) or {}
    return {"beside": found, "below": {key: value for key, value in memory.items() if key != "provider"}}


def is_block(node: Any) -> bool:
    return isinstance(node.value, list) and node.flow_style is False and all(isinstance(pair, tuple) for pair in node.value)


def compose(text: str) -> Any:
    """The document's node tree with positions, None when it is empty. Raises Refused."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        mend = f"`{sys.executable} -m pip install ruamel.yaml`"  # suffices for a checkout as well
        raise Refused(f"editing YAML needs ruamel.yaml beside memory-wire: {mend}; left untouched", SNIPPET) from None
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
