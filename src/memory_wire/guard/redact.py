"""Redaction on write: what looks like a credential or a personal number never reaches the store.

A C prefilter names the rule families that could match; only their rules run, so clean text costs one pass over its bytes. Every rule is
linear in the text: runs are entered at their start only, and what repeats is bounded. Called by the service for every string of a write.
"""

from __future__ import annotations

from memory_wire.kernels.text import scan_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory_wire.guard.rules import Rule, Span

Hits = tuple[tuple[str, int], ...]
PLACEHOLDER = "[REDACTED:"
PLACEHOLDER_CHARS = 64  # the longest kind with its digest is shorter


def redact(text: str) -> tuple[str, Hits]:
    """The text with every secret replaced by `[REDACTED:<kind>]`, and (kind, count) in rule order; the same object when nothing hit."""
    bits = scan_secrets(text)
    if not bits:
        return text, ()
    from memory_wire.guard.rules import RULES

    return apply(text, (rule for rule in RULES if bits & rule.bit), "")


def redact_key(text: str, digest: Callable[[bytes], bytes]) -> tuple[str, Hits]:
    """The same for a field used as a key: credential kinds only, and the placeholder carries 8 hex digits of `digest(raw value)`.

    Different values stay different, so that an upsert never hits another's memory.
    """
    bits = scan_secrets(text)
    if not bits:
        return text, ()
    from memory_wire.guard.rules import PERSONAL_KINDS, RULES

    rules = (rule for rule in RULES if bits & rule.bit and rule.kind not in PERSONAL_KINDS)
    return apply(text, rules, f":{digest(text.encode()).hex()[:8]}")


def apply(text: str, rules: Iterable[Rule], mark: str) -> tuple[str, Hits]:
    """The text after each rule in turn, and how often each one hit."""
    hits = []
    for rule in rules:
        spans = outside_placeholders(text, rule.find(text))
        if spans:
            text = replace(text, spans, f"[REDACTED:{rule.kind}{mark}]")
            hits.append((rule.kind, len(spans)))
    return text, tuple(hits)


def outside_placeholders(text: str, spans: list[Span]) -> list[Span]:
    """The spans that don't lie within a placeholder: `[REDACTED:github_token:3fd01234]` names a token, but holds none."""
    if not spans or PLACEHOLDER not in text:
        return spans
    return [(start, end) for start, end in spans if not in_placeholder(text, start, end)]


def in_placeholder(text: str, start: int, end: int) -> bool:
    opened = text.rfind(PLACEHOLDER, 0, start + 1)
    closed = text.find("]", opened) if opened >= 0 else -1
    return opened >= 0 and closed - opened <= PLACEHOLDER_CHARS and start < closed and end <= closed + 1


def replace(text: str, spans: list[Span], placeholder: str) -> str:
    """The text with ascending, disjoint spans replaced."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], placeholder]
        last = end
    return "".join([*parts, text[last:]])
