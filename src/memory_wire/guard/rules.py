"""The redaction rules in order, each the bit of the prefilter it answers to and a function that finds its spans.

Order matters: `Bearer <jwt>` is a bearer, `TOKEN=ghp_…` a GitHub token. Loaded on the first text the prefilter can't clear.
"""

from __future__ import annotations

import re

from memory_wire.guard import numbers
from memory_wire.guard.assignment import assigned_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Span = tuple[int, int]
PERSONAL_KINDS = frozenset({"card", "iban", "email", "phone"})
START = r"(?<![A-Za-z0-9_-])"  # not within a longer word: `risk-…` is no `sk-…`


class Rule:
    """One kind of secret: `find` gives ascending, disjoint spans."""

    __slots__ = ("bit", "find", "kind")

    def __init__(self, kind: str, bit: int, find: Callable[[str], list[Span]]) -> None:
        self.kind, self.bit, self.find = kind, bit, find


def matching(pattern: str, group: int = 0, accept: Callable[[re.Match[str]], bool] = lambda match: True) -> Callable[[str], list[Span]]:
    """Spans of one group of a pattern, where `accept` agrees."""
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: [match.span(group) for match in compiled.finditer(text) if accept(match)]


OPEN, CLOSE = re.compile(r"<private>", re.IGNORECASE | re.ASCII), re.compile(r"</private>", re.IGNORECASE | re.ASCII)


def private(text: str) -> list[Span]:
    """`<private>` to the next `</private>`; one that is never closed hides the rest."""
    return blocks(text, OPEN, CLOSE, lambda start: len(text))


BEGIN_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE | re.ASCII)
END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE | re.ASCII)
KEY_BODY = re.compile(
    r"(?:(?:\\[nr]|\s){0,8}(?:[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{1,16}={1,2}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,200}))*",
    re.ASCII,
)


def pem_key(text: str) -> list[Span]:
    """A PEM block that names a private key; one that is never closed ends with its base64 lines."""

    def unclosed(start: int) -> int:
        begun = BEGIN_KEY.match(text, start)
        body = KEY_BODY.match(text, begun.end() if begun else start)
        return body.end() if body else start

    return blocks(text, BEGIN_KEY, END_KEY, unclosed)


def blocks(text: str, opening: re.Pattern[str], closing: re.Pattern[str], unclosed: Callable[[int], int]) -> list[Span]:
    """Spans from each opening to the next closing; once there is no closing left, each ends where `unclosed` says."""
    spans, at, closes = [], 0, True
    while begun := opening.search(text, at):
        ended = closing.search(text, begun.end()) if closes else None
        closes = ended is not None
        at = ended.end() if ended else max(unclosed(begun.start()), begun.end())
        spans.append((begun.start(), at))
    return spans


def is_token(match: re.Match[str]) -> bool:
    """A word of the language is no key: a key has a digit, a capital, or twenty letters in a row."""
    body = match[1]
    return any(c.isdigit() or c.isupper() for c in body) or any(len(part) >= 20 for part in re.split("[-_]", body))


def is_bearer(match: re.Match[str]) -> bool:
    """A digit, an inner capital, a sign that words don't have, or 24 characters; not the word after `bearer` in a sentence."""
    token = match[1].rstrip(".,-/~")
    signs = any(c.isdigit() or c in "._~+/=-" for c in token) or any(c.isupper() for c in token[1:])
    return signs or len(token) >= 24


UNITS = frozenset(("service", "socket", "target", "timer", "mount", "slice", "scope"))  # getty@tty1.service


def is_mail(match: re.Match[str]) -> bool:
    """Not `git@host:path`, not the user of an URL, not a version after a package's name, not a unit of systemd."""
    text, (start, end) = match.string, match.span()
    after = re.compile(r":[^\s:]*/|:[^\s:]+\.git\b").match(text, end)
    remote = after or (match[0].lower().startswith("git@") and text[end : end + 1] in {":", "/"})
    if remote or match[1].rpartition(".")[2] in UNITS:
        return False
    return text[max(start - 3, 0) : start] != "://" and not re.match(r"\d+\.\d", match[1])


def is_secret_of_aws(match: re.Match[str]) -> bool:
    """Forty characters of base64 that are not a hash in hexadecimal."""
    return not re.fullmatch(r"[0-9a-f]{40}|[0-9A-F]{40}|[A-Za-z]{40}|[a-z/]{40}", match[1])


RULES: tuple[Rule, ...] = (
    Rule("private", 1 << 0, private),
    Rule("pem_key", 1 << 1, pem_key),
    Rule("url_password", 1 << 2, matching(r"://[^\s/?#:@'\"<>\[\]]{0,256}:([^\s/?#@'\"<>\[\]${}]{1,256})@", 1)),
    Rule("api_key", 1 << 3, matching(START + r"(?:sk-|[spr]k_(?:live|test)_)([A-Za-z0-9_-]{8,})", 0, is_token)),
    Rule("api_key", 1 << 3, matching(START + r"mmw_[0-9a-f]{64}(?![0-9a-f])")),
    Rule("github_token", 1 << 4, matching(START + r"(?:gh[posur]_[A-Za-z0-9]{8,}|github_pat_[A-Za-z0-9_]{8,})")),
    Rule("gitlab_token", 1 << 5, matching(START + r"glpat-[A-Za-z0-9_-]{16,}")),
    Rule("npm_token", 1 << 6, matching(START + r"npm_[A-Za-z0-9]{30,}")),
    Rule("hf_token", 1 << 7, matching(START + r"hf_[A-Za-z0-9]{20,}")),
    Rule("aws_key", 1 << 8, matching(START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    Rule(
        "aws_secret",
        1 << 9,
        matching(
            r"(?i:aws)[^\n]{0,60}?(?i:secret|key)[^\n]{0,30}?(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])", 1, is_secret_of_aws
        ),
    ),
    Rule("bearer", 1 << 10, matching(r"(?i:\bbearer)\s{1,8}([A-Za-z0-9._~+/=-]{8,})", 0, is_bearer)),
    Rule("slack_token", 1 << 11, matching(START + r"(?:xox[abeprs]-|xapp-)[A-Za-z0-9-]{10,}")),
    Rule("google_api_key", 1 << 12, matching(START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")),
    Rule("jwt", 1 << 13, matching(START + r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")),
    Rule("secret", 1 << 14, assigned_secrets),
    Rule("card", 1 << 15, numbers.cards),
    Rule("iban", 1 << 16, numbers.ibans),
    Rule(
        "email",
        1 << 17,
        matching(
            r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,63})", 0, is_mail
        ),
    ),
    Rule("phone", 1 << 18, numbers.phones),
)
KINDS = tuple(rule.kind for rule in RULES)
