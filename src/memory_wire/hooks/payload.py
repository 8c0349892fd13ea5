"""What a host says on stdin: bytes within a time limit, then one Event whatever the dialect.

Spellings differ (snake_case, camelCase, one nested object per event), and a hook file may be read by several hosts: the payload's own marks
decide which host fired, the name given on the command line where it has none. Nothing here raises.
"""

from __future__ import annotations

import os
import select
import time

from memory_wire.config import HOOK_INPUT_BYTES
from memory_wire.hooks.values import mapping, text_of, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS = ("session-start", "prompt", "stop", "pre-compact", "session-end")
HOSTS = ("claude-code", "codex", "copilot-cli", "cursor", "gemini-cli", "windsurf", "vscode", "cline", "devin")
SOURCES = {"startup": "startup", "new": "startup", "resume": "resume", "fork": "resume", "clear": "clear", "compact": "compact"}
UNASKED = frozenset({"system", "poll_event"})  # prompts that nobody wrote
ELSEWHERE = frozenset({"cursor", "devin"})  # their hooks run in a folder that isn't the project
PLACES = {"claude-code": "CLAUDE_PROJECT_DIR", "devin": "DEVIN_PROJECT_DIR", "gemini-cli": "GEMINI_PROJECT_DIR"}
READ_BYTES = 64 * 1024


class Event:
    """One firing. Texts are "" where the host gives none; `kind` is the host's own name of the event."""

    __slots__ = (
        "active",
        "answer",
        "cwd",
        "host",
        "kind",
        "name",
        "prompt",
        "reason",
        "session",
        "source",
        "subagent",
        "transcript",
        "transformed",
    )

    def __init__(self, name: str, found: dict[str, object], given: str | None, environ: Mapping[str, str]) -> None:
        tool = within(found, "tool_info")
        started, completed = within(found, "taskStart", "taskMetadata"), within(found, "taskComplete", "taskMetadata")
        self.name = name
        self.host = host_of(found, given, environ)
        self.kind = text_of(found, "hook_event_name", "hookEventName", "hookName", "agent_action_name")
        self.session = text_of(found, "session_id", "sessionId", "conversation_id", "conversationId", "trajectory_id", "taskId")
        self.prompt = (
            text_of(found, "prompt", "user_prompt", "initialPrompt")
            or text_of(tool, "user_prompt")
            or text_of(within(found, "userPromptSubmit"), "prompt")
            or text_of(started, "initialTask")
        )
        self.transformed = text_of(found, "transformedPrompt")
        self.answer = (
            text_of(found, "last_assistant_message", "lastAssistantMessage", "prompt_response")
            or text_of(tool, "response")
            or text_of(completed, "result")
            or text_of(within(found, "turn"), "outputText")
            or (text_of(found, "text") if self.kind == "afterAgentResponse" else "")
        )
        self.transcript = text_of(found, "transcript_path", "transcriptPath") or text_of(tool, "transcript_path")
        self.source = "resume" if self.kind == "TaskResume" else SOURCES.get(text_of(found, "source"), "")
        self.reason = text_of(found, "reason", "trigger")
        self.active = found.get("stop_hook_active") is True or found.get("stopHookActive") is True
        self.subagent = bool(text_of(found, "agent_id", "parent_agent_id"))
        self.cwd = cwd_of(found, self.host, environ)
        if name == "prompt" and text_of(found, "source") in UNASKED:
            self.prompt = ""
        if not self.transcript and self.host == "cursor":
            self.transcript = cursor_transcript(self.session, self.cwd)


def host_of(found: dict[str, object], given: str | None, environ: Mapping[str, str]) -> str | None:
    """The host that fired: by what only its payloads carry, else by the name given, else by its environment."""
    event = text_of(found, "hook_event_name")
    moment = found.get("timestamp")
    if text_of(found, "cursor_version"):
        return "cursor"
    if text_of(found, "agent_action_name"):
        return "windsurf"
    if text_of(found, "clineVersion"):
        return "cline"
    if text_of(found, "hookEventName") and text_of(found, "sessionId"):
        return "vscode"
    if text_of(found, "sessionId") and not event and isinstance(moment, (int, float)) and moment is not True:
        return "copilot-cli"
    if event and text_of(found, "turn_id") and text_of(found, "model"):
        return "codex"
    if event in ("BeforeAgent", "AfterAgent", "PreCompress"):
        return "gemini-cli"
    if given:
        return given
    marks = (("DEVIN_PROJECT_DIR", "devin"), ("GEMINI_SESSION_ID", "gemini-cli"), ("CLAUDE_PROJECT_DIR", "claude-code"))
    return next((host for name, host in marks if environ.get(name)), None)


def cwd_of(found: dict[str, object], host: str | None, environ: Mapping[str, str]) -> str:
    """The project's folder: from the payload, from the host's environment, or where the hook runs, if that host runs it there."""
    named = [text_of(found, "cwd"), text_of(found, "workspace_root")]
    for name in ("workspace_roots", "workspaceRoots", "workspacePaths"):
        roots = found.get(name)
        named += [root for root in roots[:1] if isinstance(root, str)] if isinstance(roots, list) else []
    named.append(environ.get(PLACES.get(host or "", ""), ""))
    for path in named:
        if os.path.isabs(path) and "\0" not in path:
            return path
    try:
        return os.sep if host in ELSEWHERE else os.getcwd()
    except OSError:  # removed meanwhile
        return os.sep


def cursor_transcript(session: str, cwd: str) -> str:
    """Where Cursor keeps a conversation, for events that don't say; "" when the id could lead elsewhere."""
    if not session or not session.replace("-", "").isalnum() or not session.isascii():
        return ""
    slug = cwd.lstrip("/").replace("/", "-").replace(".", "-")
    return os.path.join(os.path.expanduser("~"), ".cursor", "projects", slug, "agent-transcripts", session, f"{session}.jsonl")


def read(descriptor: int, until: float) -> dict[str, object]:
    """The object on a descriptor: as soon as it is whole, at the latest at the end of input or of the time; empty when there is none.

    `until` is a time of the monotonic clock. What exceeds the limit is read past, so that the host can finish writing.
    """
    parts: list[bytes] = []
    size = 0
    try:
        if os.isatty(descriptor):
            return {}
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while (left := until - time.monotonic()) > 0 and poll.poll(left * 1000):
            part = os.read(descriptor, READ_BYTES)
            size += len(part)
            if not part:
                return {} if size > HOOK_INPUT_BYTES else mapping(b"".join(parts))
            if size > HOOK_INPUT_BYTES:
                parts.clear()
                continue
            parts.append(part)
            if part.rstrip().endswith(b"}") and not poll.poll(0) and (found := mapping(b"".join(parts))):
                return found
    except (OSError, ValueError, MemoryError):
        return {}
    return {} if size > HOOK_INPUT_BYTES else mapping(b"".join(parts))
