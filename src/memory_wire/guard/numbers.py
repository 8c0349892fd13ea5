"""Card numbers, IBANs and phone numbers: shape first, then what tells them from other numbers (Luhn, ISO 7064 checksum, dialling rules)."""

from __future__ import annotations

import re

Span = tuple[int, int]

CARD = re.compile(
    r"(?<![A-Za-z0-9_.+-])\d{4}(?:(?:[ -]\d{4}){2,3}(?:[ -]\d{1,3})?|[ -]\d{6}[ -]\d{5}|\d{8,15})(?![A-Za-z0-9_]|[.+-]\d)",
    re.ASCII,
)
BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|65\d\d|64[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)


def cards(text: str) -> list[Span]:
    """Card numbers: 13 to 19 digits of a known brand whose Luhn sum holds, not within a longer id."""
    return [match.span() for match in CARD.finditer(text) if is_card(re.sub(r"\D", "", match[0]))]


def is_card(digits: str) -> bool:
    """Brand and Luhn sum (ISO/IEC 7812-1)."""
    if not BRANDS.fullmatch(digits):
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)(?![A-Za-z0-9])")


def ibans(text: str) -> list[Span]:
    """International bank account numbers whose checksum holds (ISO 13616, modulus 97)."""
    spans = []
    for match in IBAN.finditer(text):
        end = iban_end(match[0])
        if end:
            spans.append((match.start(), match.start() + end))
    return spans


def iban_end(shown: str) -> int:
    """How many characters are the number: groups of a following word may have been taken along. 0 when the checksum never holds."""
    while shown:
        code = shown.replace(" ", "")
        if len(code) >= 15 and int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1:
            return len(shown)
        shown = shown.rpartition(" ")[0]
    return 0


AREA, EXCHANGE = r"[2-9]\d{2}", r"[2-9]\d{2}"
PHONE = re.compile(
    r"(?<![A-Za-z0-9_.+/=-])(?:"
    r"\+\d{7,15}(?![A-Za-z0-9_]|[.+-]\d)"  # +14155550100
    # +1 415 555 0100, +44 (0)20 7946 0958
    r"|\+\d{1,3}(?:[ .-]?\(\d{1,4}\)[ .-]?\d{2,4}(?:[ .-]\d{2,4}){1,3}|(?:[ .-]\d{2,4}){2,4})(?![A-Za-z0-9_]|[.+-]\d)"
    rf"|(?:\d{{1,3}}[ -])?\({AREA}\)[ .-]?{EXCHANGE}[ .-]\d{{4}}(?![A-Za-z0-9_]|[.+-]\d)"  # (415) 555-0100
    rf"|(?:\d{{1,3}}-)?{AREA}([.-]){EXCHANGE}\1\d{{4}}(?![A-Za-z0-9_]|[.+-]\d)"  # 415-555-0100
    r")",
    re.ASCII,
)
SPOKEN = re.compile(
    rf"(?i:\b(?:call|phone|tel|mobile|fax))\b[^\w\n]{{0,4}}(?:\d{{1,3}} )?({AREA} {EXCHANGE} \d{{4}})(?![A-Za-z0-9_]|[.+-]\d)",
    re.ASCII,
)


def phones(text: str) -> list[Span]:
    """Phone numbers: with a plus, with parentheses, dots or dashes; by blanks only after a word such as `call`."""
    found = [match.span() for match in PHONE.finditer(text) if sum(c.isdigit() for c in match[0]) >= 7]
    spoken = [match.span(1) for match in SPOKEN.finditer(text)]
    return sorted(found + [(start, end) for start, end in spoken if all(end <= first or last <= start for first, last in found)])
