"""Which form of a page is wanted: HTML for people, markdown for programs. Decided by the address, the Accept header, the user agent."""

from __future__ import annotations

from memory_wire.publishing import NEGOTIATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.publishing import Heard, Payload

SUFFIXES = (".md", ".txt")
MARKDOWN = ("text/markdown", "text/x-markdown", "text/plain")
PAGES = ("text/html", "application/xhtml+xml")
READERS = (  # fetch for assistants and models; documented in README, compared in lower case
    "gptbot", "chatgpt-user", "oai-searchbot", "claudebot", "claude-user", "claude-searchbot", "claude-web", "anthropic-ai",
    "perplexitybot", "perplexity-user", "google-extended", "googleother", "gemini-deep-research", "meta-externalagent",
    "meta-externalfetcher", "mistralai-user", "cohere-ai", "ccbot", "bytespider", "amazonbot", "applebot-extended", "duckassistbot",
    "youbot", "deepseekbot", "grokbot", "kagi-fetcher",
)  # fmt: skip


def split(name: str) -> tuple[str, bool]:
    """A name in an address without a suffix that asks for markdown, and whether it had one."""
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name[: -len(suffix)], True
    return name, False


def wants_markdown(request: Heard) -> bool:
    """Whether a program asks: its Accept prefers markdown or plain text to a page, or it is a reader that is known."""
    return prefers_markdown(request.accept) or is_reader(request.agent)


def prefers_markdown(accept: str) -> bool:
    weights = {name: weight for name, weight in map(weighed, accept.lower().split(",")) if name}
    plain = max([weights.get(name, 0.0) for name in MARKDOWN])
    return plain > 0 and plain >= max([weights.get(name, 0.0) for name in PAGES])


def weighed(entry: str) -> tuple[str, float]:
    """(media type, its weight) of one entry of an Accept header."""
    name, *parameters = [part.strip() for part in entry.split(";")]
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, min(max(float(parameter[2:]), 0.0), 1.0)
            except ValueError:
                return name, 0.0
    return name, 1.0


def is_reader(agent: str) -> bool:
    found = agent.lower()
    return any(name in found for name in READERS)


def negotiated(payload: Payload) -> Payload:
    """The payload as one of two that an address has."""
    payload.vary = NEGOTIATED
    return payload
