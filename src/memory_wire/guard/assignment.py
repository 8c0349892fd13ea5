"""Secrets that only their name gives away: `PASSWORD=…`, `"api_key": "…"`, `token: …`.

The name must end with a word for a secret; the value decides. Code (`password = get_password()`), references to the environment, types,
placeholders and prose after a colon stay as they are.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

VALUE = 96  # characters that decide; a longer value is followed to its end
REST = {3: re.compile(r'[^"\n]*'), 4: re.compile(r"[^'\n]*"), 5: re.compile(r"[^\s\"'`,;&|<>(){}\[\]]*")}
NAME = re.compile(
    r"((?i:passwords?|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|account|private|signing|encryption|secret|auth)[_-]?key))"
    r"(?![A-Za-z0-9_])[\"'`]?[ \t]{0,4}(=>|:=|==?|!=|:)[ \t]{0,4}"
    rf"(?:\"([^\"\n]{{0,{VALUE}}})\"?|'([^'\n]{{0,{VALUE}}})'?|([^\s\"'`,;&|<>(){{}}\[\]]{{1,{VALUE}}}))",
    re.ASCII,
)
NO_VALUE = frozenset(
    "string str text bytes int integer bool boolean object any none null nil undefined true false yes no empty required optional missing"
    " password passwd secret token key value default example placeholder redacted hidden masked unset test changeme your-password"
    " your_password your-token your_token your-api-key your_api_key bearer basic".split()
)
REFERENCE = re.compile(
    r"[$%@~/.*?<{\[]|(?:os|process|env|config|settings|self|cls|this|args|options|params|req|request|ctx|secrets|vault)\b[.\[]",
    re.IGNORECASE | re.ASCII,
)
PLACEHOLDER = re.compile(r"(?:[xX*.•_#-]+|(?:your|my|the|some|a|an|insert|enter|replace|new|old)[ _-].*)", re.DOTALL)


def assigned_secrets(text: str) -> list[Span]:
    """Spans of the values that are secrets by their name."""
    spans, at = [], 0
    while match := NAME.search(text, at):
        group = match.lastindex or 5
        start, end = match.span(group)
        value = match[group] if group < 5 else match[group].rstrip(".:!?\\")
        at = start  # what is no secret may be the name of one
        if is_secret(match[1], match[2], value, group < 5, text[end : end + 1]):
            rest = REST[group].match(text, end) if len(match[group]) == VALUE else None
            at = rest.end() if rest else start + len(value)
            spans.append((start, at))
    return spans


def is_secret(name: str, sign: str, value: str, quoted: bool, after: str) -> bool:
    """Whether a value behind a secret's name is one."""
    if len(value) < 4 or sign in {"==", "!="} or value.lower() in NO_VALUE:
        return False
    if "[REDACTED" in value or "..." in value or "…" in value:
        return False
    if REFERENCE.match(value) or PLACEHOLDER.fullmatch(value) or (after in {"(", "[", "{"} and not quoted):
        return False
    if quoted:
        return " " not in value.strip() or looks_random(value)
    if name.isupper() and sign == "=":
        return True  # an environment assignment
    if value.isdigit():
        return sign == "=" and len(value) >= 6 and "token" not in name.lower()
    return looks_random(value)


def looks_random(value: str) -> bool:
    """Letters and digits mixed as in no word: three classes of characters, or short and without a separator, or long."""
    lower, upper = any(c.islower() for c in value), any(c.isupper() for c in value)
    digit, sign = any(c.isdigit() for c in value), any(not c.isalnum() and c not in " -._/:" for c in value)
    words = any(c in " -./:" for c in value)
    if len(value) >= 8 and lower + upper + digit + sign >= 3 and not words:
        return True
    if len(value) >= 6 and digit and (lower or upper) and not words and "_" not in value and "(" not in value:
        return True
    return len(value) >= 20 and digit and (lower or upper) and " " not in value and not re.search(r"[a-z]{4,}[-_./][a-z]{4,}", value)
