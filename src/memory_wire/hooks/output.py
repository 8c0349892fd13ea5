"""What each host expects on stdout, exactly: hosts refuse keys they don't know, so no answer is made to fit two of them."""

from __future__ import annotations

from memory_wire.hooks.values import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hooks.payload import Event

NAMES = {  # what a host calls the event in its answer
    "claude-code": {"session-start": "SessionStart", "prompt": "UserPromptSubmit"},
    "codex": {"session-start": "SessionStart", "prompt": "UserPromptSubmit"},
    "devin": {"session-start": "SessionStart", "prompt": "UserPromptSubmit"},
    "vscode": {"session-start": "SessionStart"},  # its prompt event takes no context
    "gemini-cli": {"session-start": "SessionStart", "prompt": "BeforeAgent"},
}


def takes(style: str | None, event: Event) -> bool:
    """Whether the host puts what this event prints into the model's context. `style` None is the contract's plain text."""
    if event.name not in ("session-start", "prompt"):
        return False
    if style in NAMES:
        return event.name in NAMES[style]
    if style == "copilot-cli":
        return event.name == "session-start" or bool(event.transformed)
    return style != "windsurf"


def render(style: str | None, event: Event, text: str) -> bytes:
    """The bytes to print for a text, "" meaning that there is nothing to inject."""
    if style == "cline":  # reads an answer from every hook
        return line({"cancel": False, "contextModification": text, "errorMessage": ""})
    if not text or not takes(style, event):
        return b""
    if style in NAMES:
        answer: dict[str, object] = {"hookSpecificOutput": {"hookEventName": NAMES[style][event.name], "additionalContext": text}}
        return line(answer | ({"suppressOutput": True} if style == "claude-code" else {}))
    if style == "copilot-cli":
        if event.name == "session-start":
            return line({"additionalContext": text})
        return line({"modifiedTransformedPrompt": f"{event.transformed}\n\n{text}"})  # it replaces the prompt
    if style == "cursor":
        return line({"additional_context": text} if event.name == "session-start" else {"continue": True, "additional_context": text})
    return f"{text}\n".encode("utf-8", "replace")


def line(answer: dict[str, object]) -> bytes:
    return f"{dumps(answer)}\n".encode("ascii")
