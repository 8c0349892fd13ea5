"""The detailed reading of a text that the prefilter of injection.py doesn't clear: every view of it, each against the rules."""

from __future__ import annotations

import re

from memory_wire.guard import views
from memory_wire.guard.orders import ORDER, order
from memory_wire.guard.parts import CIPHERED, may_order
from memory_wire.guard.quoting import said
from memory_wire.kernels.text import order_bits, scan_disguises

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATE, HIDDEN, ENCODED = "chat-template delimiters", "hidden text", "encoded payload"
ROLE_NAME = r"(?:system|user|assistant|developer|model|human|tool)"
TEMPLATES = re.compile(
    rf"<\|?(?:im_start|start_header_id|start_of_turn|role|start)\|?>\s*{ROLE_NAME}\b|<[|｜]{ROLE_NAME}[|｜]>|(?<!\w)(?-i:\[/?INST\])[^\n]*\w|<</?SYS>>"
    rf"|(?:<\|(?:im_end|endoftext|eot_id|end|eom_id)\|>|</s>|<end_of_turn>|<｜end[^>]{{0,20}}>)\s*(?:<|\[|#|{ROLE_NAME}\b)"
    rf"|(?m:^[ \t]*\#{{2,4}}\s*(?:system|human|assistant)(?: prompt| message)?\s*:)"
    r"|<(system|developer|assistant|system-reminder|system_prompt)>[^<]{1,2000}</\1>",
    re.IGNORECASE,
)
# a line that speaks as the system, to a model
SYSTEM_LINE = re.compile(
    r"(?:^|\n)[ \t]*[\[(<*#]{0,3}system(?: (?:message|prompt|note|override|update|notice|instruction))?[\])>*]{0,3}\s*:\s*"
    r"[^\n]{0,80}\b(?:you (?:are|must|will|have|may)|your (?:new|role|task|instructions?)|from now on"
    r"|always (?:approve|answer|comply|obey|reply)"
    r"|(?:ignore|disregard|forget) (?:all|any|the|your)|obey|comply)\b",
    re.IGNORECASE,
)
UNSEEN = re.compile(
    r"<[a-z]+[^<>]{0,400}?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(?:white|\#fff)|\shidden)"
    r"[^<>]{0,200}>([^<]{1,4000})",
    re.IGNORECASE,
)
LEAK = re.compile(
    r"\]\(\s*https?://[^\s()<>{}]{1,400}=(?:[{<\[]{1,3}|%7B)[\w .-]{0,40}"
    r"(?:conversation|history|chat|secret|password|memor|context|prompt|summary)",
    re.IGNORECASE,
)


def judged(text: str, bits: int, may: bool) -> str | None:
    """The category of attack, or None. `bits` are what the text may hide; `may` tells whether its plain words could be an order's."""
    category = spoken(text, bits, may)
    rest = said(text) if category else text
    if rest is not text:  # what is quoted is no order
        category = spoken(rest, bits, may)
    if category:
        return category
    if bits & views.INVISIBLE_BIT:
        if carried(text):
            return HIDDEN
        text = views.visible(text)
    return ENCODED if (bits & views.ENCODED_BIT or may) and encoded(text, bits, views.DEPTH) else None


def spoken(text: str, bits: int, may: bool) -> str | None:
    """What the words say, as they stand and unmasked."""
    category = marked(text) if bits & views.MARKUP_BIT else None
    category = category or (order(text) if may else None)
    if not category and bits & views.INVISIBLE_BIT:
        plain = views.visible(text)
        if ordered(plain) or ordered(views.INVISIBLE.sub(" ", text)):
            return HIDDEN
        text = plain
    if not category and bits & (views.MIXED_BIT | views.LEET_BIT | views.SPACED_BIT | views.INVISIBLE_BIT):
        category = ordered(views.unmasked(text, bits))
    return category


def ordered(text: str) -> str | None:
    """An order in the words of a text, if it has those of one."""
    return order(text) if may_order(order_bits(text)) else None


def ciphered(parts: int) -> bool:
    """Whether words are there that are an order's, rotated or backwards."""
    return bool(parts & CIPHERED)


def marked(text: str) -> str | None:
    """Delimiters of chat templates, orders in comments and unseen elements, addresses that carry out what is said."""
    if TEMPLATES.search(text) or SYSTEM_LINE.search(text):
        return TEMPLATE
    if any(ordered(one) for one in (*comments(text), *(match[1] for match in UNSEEN.finditer(text)))):
        return HIDDEN
    return ORDER if LEAK.search(text) else None


def comments(text: str) -> Iterator[str]:
    """What stands in comments of HTML; one that is never closed goes on to the end."""
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        yield text[at + 4 : end if end >= 0 else len(text)]
        at = text.find("<!--", end) if end >= 0 else -1


def carried(text: str) -> bool:
    """Whether invisible characters carry a text, or turn the visible one round."""
    if any(len(re.findall(r"[A-Za-z]", one)) >= 4 for one in views.hidden(text)):
        return True
    return views.BITS.search(text) is not None or views.OVERRIDES.search(text) is not None


def encoded(text: str, bits: int, depth: int) -> bool:
    """Whether what is encoded in the text, at any depth, gives an order."""
    turned = (text.translate(views.ROT13), text[::-1]) if ciphered(order_bits(text)) else ()
    for one in (*turned, *(views.payloads(text) if bits & views.ENCODED_BIT else ())):
        parts, more = order_bits(one), scan_disguises(one)
        if (may_order(parts) and order(one)) or (more & views.MARKUP_BIT and marked(one)):
            return True
        if more & ~views.ENCODED_BIT and ordered(views.unmasked(views.visible(one), more)):
            return True
        if depth > 1 and (more & views.ENCODED_BIT or ciphered(parts)) and encoded(one, more, depth - 1):
            return True
    return False
