"""agent-memory-guard on the same texts: each is written to a fresh guard as an agent's note."""

from __future__ import annotations

from agent_memory_guard import Action, MemoryGuard, Policy, PolicyViolation, detectors

EVERY = (
    detectors.PromptInjectionDetector,
    detectors.MemoryPersistenceInjectionDetector,
    detectors.PrivilegeEscalationDetector,
    detectors.ToolAbuseDetector,
    detectors.ExcessiveAutonomyDetector,
    detectors.SensitiveDataDetector,
)


def refuses(text: str) -> bool:
    """Whether its strict policy doesn't store the text as it is."""
    try:
        return MemoryGuard(policy=Policy.strict()).write("agent.note", text) is not Action.ALLOW
    except PolicyViolation:
        return True


def finds(text: str) -> bool:
    """Whether any of its detectors of content, also those that no policy turns on, says anything."""
    return any(kind().inspect("agent.note", text, operation="write").matched for kind in EVERY)
