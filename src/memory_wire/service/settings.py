"""What a bank's configuration means. The bytes are kept as they were put; this is their reading, made once per change.

A malformed value in a key that has an effect counts as absent; unknown keys have no effect.
"""

from __future__ import annotations

import msgspec

from memory_wire.config import PREAMBLE_CHARS, RECALL_BUDGET, TAG_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.retrieve.embed import Model

LANGUAGES = {"english": 1, "en": 1, "none": 0}
SYNONYM_WEIGHT = 0.7
PREAMBLES = ("background", "preamble", "system_prompt")
CAPSULES = {"full": False, "summary": True}
FUSIONS = ("lexical", "reference", "convex", "rrf", "dense")
WEIGHT_MAX = 10.0
GUARD = ("off", "flag", "reject")


class Settings(msgspec.Struct, frozen=True):
    """`synonyms`: trigger word -> (terms, weight); `language`: stemmer number of the text kernel; `fusion`: one of FUSIONS.

    `ttl_days`: how long `sweep` leaves memories alone, `purge_after_days`: how long the texts of forgotten records, None for ever.
    `preamble`: the bank's own framing of a session's start. `capsules`: whether injected memories are shortened, `guard`: what becomes of
    text that gives orders to models; None where nothing is said.
    `weight`: of vectors beside words, None: the fusion's own. `models`: its embedder and reranker, None for none, absent for the server's.
    `shares`: whether shared chats may be fetched.
    """

    budget: int = RECALL_BUDGET
    retain_tags: tuple[str, ...] = ()
    synonyms: dict[str, tuple[list[str], float]] = {}
    language: int = LANGUAGES["english"]
    fusion: str = FUSIONS[0]
    ttl_days: int | None = None
    purge_after_days: int | None = None
    preamble: str = ""
    capsules: bool | None = None
    guard: str | None = None
    models: dict[str, Model | None] = {}
    weight: float | None = None
    shares: bool = False


DEFAULTS = Settings()


def read(body: bytes | None) -> Settings:
    """The settings in a configuration body."""
    if not body or body == b"{}":
        return DEFAULTS
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):  # nested as deep as was just allowed when it was put: no key with an effect is
        return DEFAULTS
    if not isinstance(found, dict):
        return DEFAULTS
    return Settings(
        budget=unsigned(found.get("recallMaxTokens"), RECALL_BUDGET),
        retain_tags=tags(found.get("retainTags")),
        synonyms=synonyms(found.get("recallSynonyms")),
        language=language(found.get("language")),
        fusion=fusion(found.get("fusion")),
        weight=weight(found.get("fusionWeight")),
        ttl_days=days(found.get("ttl_days")),
        purge_after_days=days(found.get("purge_after_days")),
        preamble=preamble(found),
        capsules=capsules(found.get("injectionFormat")),
        guard=guard(found.get("guard")),
        shares=found.get("shares") is True,
        models=models(found) if "embedder" in found or "reranker" in found else {},
    )


def models(found: dict[str, object]) -> dict[str, Model | None]:
    from memory_wire.service import models  # few banks have any

    return models.given(found)


def days(value: object) -> int | None:
    """An unsigned 32-bit integer; anything else is no policy."""
    return value if type(value) is int and 0 <= value < 1 << 32 else None


def preamble(found: dict[str, object]) -> str:
    """The first of the keys that says something."""
    for name in PREAMBLES:
        value = found.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:PREAMBLE_CHARS]
    return ""


def capsules(value: object) -> bool | None:
    return CAPSULES.get(value) if isinstance(value, str) else None


def guard(value: object) -> str | None:
    return value if isinstance(value, str) and value in GUARD else None


def fusion(value: object) -> str:
    return value if isinstance(value, str) and value in FUSIONS else DEFAULTS.fusion


def weight(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and type(value) is not bool and 0 <= value <= WEIGHT_MAX else None


def unsigned(value: object, default: int) -> int:
    return value if type(value) is int and 0 <= value < 1 << 64 else default


def strings(value: object) -> tuple[str, ...]:
    """A list of strings without NUL; anything else in it makes the whole value malformed."""
    if not isinstance(value, list) or not all(isinstance(entry, str) and "\0" not in entry for entry in value):
        return ()
    return tuple(value)


def tags(value: object) -> tuple[str, ...]:
    """A list of tags that a retain might bring as well."""
    found = strings(value)
    return found if all(len(tag) <= TAG_CHARS for tag in found) else ()


def language(value: object) -> int:
    return LANGUAGES.get(value.lower(), DEFAULTS.language) if isinstance(value, str) else DEFAULTS.language


def synonyms(value: object) -> dict[str, tuple[list[str], float]]:
    """`{trigger: {"terms": […], "weight": 0.7}}`; malformed entries are left out, weights above 1 are 1."""
    found: dict[str, tuple[list[str], float]] = {}
    if not isinstance(value, dict):
        return found
    for trigger, entry in value.items():
        if not isinstance(entry, dict):
            continue
        terms = strings(entry.get("terms"))
        weight = entry.get("weight", SYNONYM_WEIGHT)
        if not terms or isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            continue
        found[trigger] = (list(terms), float(min(weight, 1.0)))
    return found
