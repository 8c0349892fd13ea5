"""How attackers hide an order from a filter: encodings, look-alikes, invisible characters."""

from __future__ import annotations

import base64
import codecs
from urllib.parse import quote


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def base64_url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def base32_of(text: str) -> str:
    return base64.b32encode(text.encode()).decode()


def twice(text: str) -> str:
    return base64_of(base64_of(text))


def hex_of(text: str) -> str:
    return text.encode().hex()


def spaced_hex(text: str) -> str:
    return text.encode().hex(" ")


def hex_escapes(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def unicode_escapes(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text)


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def percent_blanks(text: str) -> str:
    return quote(text)


def entities(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def hex_entities(text: str) -> str:
    return "".join(f"&#x{ord(c):x};" for c in text)


def binary(text: str) -> str:
    return " ".join(f"{byte:08b}" for byte in text.encode())


def rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def reversed_(text: str) -> str:
    return text[::-1]


def zero_width(text: str) -> str:
    return "\u200b".join(text)


def joiners(text: str) -> str:
    return "".join(c + ("\u200d" if i % 2 else "\u2060") if c.isalpha() else c for i, c in enumerate(text))


def soft_hyphens(text: str) -> str:
    return " ".join("\u00ad".join(word) for word in text.split(" "))


def tag_characters(text: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) for c in text)


def selectors(text: str) -> str:
    """Each byte a variation selector, the channel that carries bytes behind an emoji."""
    return "".join(chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16) for byte in text.encode())


def zero_width_bits(text: str) -> str:
    return "".join("\u200b" if bit == "0" else "\u200c" for byte in text.encode() for bit in f"{byte:08b}")


def bidi_override(text: str) -> str:
    return f"\u202e{text[::-1]}\u202c"


def full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def mathematical(text: str) -> str:
    """Bold letters of the block of mathematical letters."""
    return "".join(chr(0x1D400 + ord(c) - 65) if "A" <= c <= "Z" else chr(0x1D41A + ord(c) - 97) if "a" <= c <= "z" else c for c in text)


def circled(text: str) -> str:
    return "".join(chr(0x24D0 + ord(c) - 97) if "a" <= c <= "z" else chr(0x24B6 + ord(c) - 65) if "A" <= c <= "Z" else c for c in text)


def cyrillic(text: str) -> str:
    return text.translate(str.maketrans("aeiopcxysAEIOPCXHBMTK", "аеіорсхуѕАЕІОРСХНВМТК"))


def greek(text: str) -> str:
    return text.translate(str.maketrans("oviptAEIOPTHBMNZK", "ονιρτΑΕΙΟΡΤΗΒΜΝΖΚ"))


def leet(text: str) -> str:
    return text.translate(str.maketrans("aeiost", "43105" + "7"))


def some_leet(text: str) -> str:
    return text.translate(str.maketrans("eo", "30"))


def spaced(text: str) -> str:
    return "  ".join(" ".join(word) for word in text.split(" "))


def dotted(text: str) -> str:
    return " ".join(".".join(word) for word in text.split(" "))


def combining(text: str) -> str:
    return "".join(c + "\u0336" if c.isalpha() else c for c in text)


def cased(text: str) -> str:
    return "".join(c.upper() if i % 2 else c.lower() for i, c in enumerate(text))
