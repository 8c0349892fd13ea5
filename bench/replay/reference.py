"""The reference's rule of injection on our own server: five entries for every prompt, whatever was injected before, however unlike."""

from __future__ import annotations

from memory_wire import Client, framing

ENTRIES, ENTRY_CHARS, SECTION_CHARS = 5, 400, 2_000
SHORT, PREVIOUS = 160, 600
BUDGET = 1_200


def inject(client: Client, bank: str, event: str, prompt: str | None, previous: str | None, url: str) -> tuple[str, list[str]]:
    """(the text, ids of the memories in it)."""
    if event == "session-start":
        return framing.session_start(bank, url=url), []
    said = framing.spoken(prompt or "")
    if not said:
        return "", []
    query = f"{framing.flat(previous or '')[:PREVIOUS]}\n{said}" if len(said) <= SHORT and previous else said
    hits = client.recall(query, bank=bank, budget=BUDGET, exclude_tags=["transcript", "marker"])
    lines: list[str] = []
    for hit in hits[:ENTRIES]:
        text = framing.flat(hit.content)
        text = text if len(text) <= ENTRY_CHARS else text[: ENTRY_CHARS - 1] + "…"
        line = f"- [{hit.created_at[:10]}] {text}"
        if sum(map(len, lines)) + len(line) > SECTION_CHARS:
            break
        lines.append(line)
    if not lines:
        return "", []
    more = [f"- …and {len(hits) - ENTRIES} more"] if len(hits) > ENTRIES else []
    text = "\n".join([framing.recall_heading(bank), framing.LABEL, *lines, *more])
    return text, [hit.id for hit in hits[: len(lines)]]
