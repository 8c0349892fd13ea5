"""Payloads as hosts send them, one per event we are installed for. Placeholders: cwd, session and transcript are filled in by `payload`."""

from __future__ import annotations

import copy

PROMPT = "Where does the harbour pilot sleep in winter?"
ANSWER = "The harbour pilot sleeps in Rotterdam, in the house behind the lock."
CLAUDE = {"session_id": "{session}", "transcript_path": "{transcript}", "cwd": "{cwd}", "permission_mode": "default"}
CODEX = {
    "session_id": "{session}",
    "transcript_path": None,
    "cwd": "{cwd}",
    "model": "gpt-5-codex",
    "turn_id": "t-1",
    "permission_mode": "default",
}
COPILOT = {"sessionId": "{session}", "timestamp": 1796071206510, "cwd": "{cwd}"}
CURSOR = {
    "conversation_id": "{session}",
    "generation_id": "g-1",
    "model": "composer-1",
    "cursor_version": "3.6.31",
    "workspace_roots": ["{cwd}"],
    "user_email": None,
}
GEMINI = {"session_id": "{session}", "transcript_path": "{transcript}", "cwd": "{cwd}", "timestamp": "2026-11-30T10:00:00.000Z"}
CASCADE = {"trajectory_id": "{session}", "execution_id": "e-1", "timestamp": "2026-11-30T10:00:00Z"}
VSCODE = {"timestamp": "2026-11-30T10:00:00.000Z", "cwd": "{cwd}", "sessionId": "{session}", "transcript_path": "{transcript}"}
CLINE = {"clineVersion": "3.38.0", "timestamp": "1796071206510", "taskId": "{session}", "workspaceRoots": ["{cwd}"], "userId": "u"}

PAYLOADS: dict[str, dict[str, dict[str, object]]] = {
    "claude-code": {
        "session-start": {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup", "model": "opus"},
        "prompt": {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT},
        "stop": {**CLAUDE, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": ANSWER},
        "pre-compact": {**CLAUDE, "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": ""},
        "session-end": {**CLAUDE, "hook_event_name": "SessionEnd", "reason": "prompt_input_exit"},
    },
    "codex": {
        "session-start": {**CODEX, "hook_event_name": "SessionStart", "source": "startup"},
        "prompt": {**CODEX, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT},
        "stop": {**CODEX, "hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": ANSWER},
    },
    "copilot-cli": {
        "session-start": {**COPILOT, "source": "new", "initialPrompt": PROMPT},
        "prompt": {**COPILOT, "prompt": PROMPT, "transformedPrompt": f"<current_datetime>now</current_datetime>\n\n{PROMPT}"},
        "stop": {**COPILOT, "transcriptPath": "{transcript}", "stopReason": "end_turn"},
        "session-end": {**COPILOT, "reason": "complete"},
    },
    "cursor": {
        "session-start": {**CURSOR, "hook_event_name": "sessionStart"},
        "prompt": {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": PROMPT, "attachments": []},
        "stop": {**CURSOR, "hook_event_name": "stop", "status": "completed", "loop_count": 0, "transcript_path": "{transcript}"},
    },
    "gemini-cli": {
        "session-start": {**GEMINI, "hook_event_name": "SessionStart", "source": "startup"},
        "prompt": {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": PROMPT},
        "stop": {**GEMINI, "hook_event_name": "AfterAgent", "prompt": PROMPT, "prompt_response": ANSWER, "stop_hook_active": False},
    },
    "windsurf": {
        "prompt": {**CASCADE, "agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": PROMPT}},
        "stop": {**CASCADE, "agent_action_name": "post_cascade_response", "tool_info": {"response": ANSWER}},
    },
    "vscode": {
        "session-start": {**VSCODE, "hookEventName": "SessionStart", "source": "new"},
        "prompt": {**VSCODE, "hookEventName": "UserPromptSubmit", "prompt": PROMPT},
        "stop": {**VSCODE, "hookEventName": "Stop", "stop_hook_active": False},
    },
    "cline": {
        "session-start": {**CLINE, "hookName": "TaskStart", "taskStart": {"taskMetadata": {"taskId": "{session}", "initialTask": PROMPT}}},
        "prompt": {**CLINE, "hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": PROMPT, "attachments": []}},
        "stop": {**CLINE, "hookName": "TaskComplete", "taskComplete": {"taskMetadata": {"taskId": "{session}", "result": ANSWER}}},
    },
    "devin": {
        "session-start": {"session_id": "{session}"},
        "prompt": {"session_id": "{session}", "prompt": PROMPT},
        "stop": {"session_id": "{session}", "last_assistant_message": ANSWER},
    },
}


def payload(host: str, event: str, session: str, cwd: str, transcript: str = "") -> dict[str, object]:
    """A payload with its placeholders filled in."""

    def filled(value: object) -> object:
        if isinstance(value, str):
            return value.replace("{session}", session).replace("{cwd}", cwd).replace("{transcript}", transcript)
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        return [filled(item) for item in value] if isinstance(value, list) else value

    found = filled(copy.deepcopy(PAYLOADS[host][event]))
    assert isinstance(found, dict)
    return found
