"""The texts that a text can be read as: look-alike letters folded, invisible characters gone, encoded payloads decoded.

Everything is bounded: payloads of a text, characters of each, depth. Loaded for texts that kernels/text.scan_disguises doesn't clear.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64

from memory_wire.kernels.text import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INVISIBLE_BIT, MIXED_BIT, ENCODED_BIT, MARKUP_BIT, LEET_BIT, SPACED_BIT = (1 << place for place in range(6))
PAYLOADS = 24  # decoded of a text, at any depth
PAYLOAD_CHARS = 16_384  # of each
DEPTH = 3  # an encoding within an encoding within an encoding
REGION = 6  # tag characters of a flag
LEAST = 8  # characters that can be an order

INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
TAGS = re.compile("(\U0001f3f4?)([\U000e0020-\U000e007e]{4,})")  # behind a black flag, a few name a region
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
BITS = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{16,}")
OVERRIDES = re.compile("[\u202d\u202e]")
# letters of other scripts, case folded, that look like Latin ones (Unicode TS 39)
LOOKALIKES = str.maketrans(
    dict(
        zip(
            "абвгԁеѕіјкӏмнорԛгстухԝьүһґҝҡѵ" + "αβεγηικνορτυχωϲϳ" + "ոսօհցզյ" + "ɑɡıɩʏʟɪɴʀʙɢʜ",
            "abbrdesijklmhopqrctyxwbyhrkkv" + "abeynikvoptuxwcj" + "nuohgqj" + "agiiylinrbgh",
            strict=True,
        )
    )
)
MIXED_WORD = re.compile(
    r"[^\W\d_]*(?:[a-z][\u0370-\u03ff\u0400-\u052f\u0531-\u0589]|[\u0370-\u03ff\u0400-\u052f\u0531-\u0589][a-z])[^\W\d_]*"
)
LEET = str.maketrans("0134578@$!", "oieastbasi")
LEET_WORD = re.compile(r"[A-Za-z0-9@$!]+")
SIGNED = re.compile(r"(?<![^\W_])[^\W\d_]([.*_·-])[^\W\d_](?:\1[^\W\d_])*(?![^\W_])")  # i.g.n.o.r.e
SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?: [^\W\d_]){3,}(?![^\W_])")
JOINED = re.compile(
    "(instructions|instruction|directives|guidelines|disregard|preceding|previous|override|earlier|prompts|ignore|forget|bypass|prompt|above|prior"
    "|rules|every|your|all|any|the)"
)

BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_/+]")  # the words of an identifier
BASE32 = re.compile(r"[A-Z2-7]{24,}={0,6}")
HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9A-Fa-f]{2}[ :]?){8,})(?![0-9A-Za-z])")
OCTETS = re.compile(r"(?:[01]{8}\s?){8,}")
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,6})\}?|&#(\d{1,7});|&#[xX]([0-9A-Fa-f]{1,6});")
ESCAPES = re.compile(
    r"(?:(?:%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u\{?[0-9A-Fa-f]{4,6}\}?|&#\d{1,7};|&#[xX][0-9A-Fa-f]{1,6};)[\w.,:' -]{0,24}){3,}"
)
ROT13 = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm")


def visible(text: str) -> str:
    """The text without characters that have no shape."""
    return INVISIBLE.sub("", text)


def unmasked(text: str, bits: int) -> str:
    """Folded, with look-alikes, digits for letters and spaced letters as the letters that they stand for."""
    text = fold(text)
    if bits & MIXED_BIT or not text.isascii():
        text = MIXED_WORD.sub(lambda match: match[0].translate(LOOKALIKES), text)
    if bits & LEET_BIT:
        text = LEET_WORD.sub(lambda match: match[0] if match[0].isdigit() else match[0].translate(LEET), text)
    if bits & SPACED_BIT:
        text = SIGNED.sub(lambda match: match[0].replace(match[1], ""), text)
        text = SPACED.sub(lambda match: joined(match[0].replace(" ", "")), text)
    return text


def joined(run: str) -> str:
    """Letters that stood alone as a word; a long row of them cut at the words of an order."""
    return JOINED.sub(r" \1 ", run) if len(run) > 12 else run


def hidden(text: str) -> list[str]:
    """What is written in characters that aren't seen: tags and variation selectors as the text they carry."""
    runs = [match[2] for match in TAGS.finditer(text) if not match[1] or len(match[2]) > REGION]
    tagged = ["".join(chr(ord(c) - 0xE0000) for c in run) for run in runs]
    return tagged + [decoded for match in SELECTORS.finditer(text) if (decoded := selected(match[0]))]


def selected(run: str) -> str:
    """Bytes that variation selectors carry, one each; empty when they are no text."""
    return readable(bytes(ord(c) - 0xFE00 if ord(c) < 0xFE10 else ord(c) - 0xE0100 + 16 for c in run[:PAYLOAD_CHARS]))


def payloads(text: str) -> Iterator[str]:
    """What the encoded parts of a text say, at most PAYLOADS of them."""
    for found, decode in (
        (ESCAPES, unescaped),
        (BASE64, of_base64),
        (BASE64, of_words),
        (BASE32, of_base32),
        (HEX, of_hex),
        (OCTETS, of_octets),
    ):
        if found is ESCAPES and "%" not in text and "\\" not in text and "&#" not in text:
            continue
        for number, match in enumerate(found.finditer(text)):
            if number == PAYLOADS:
                break
            said = decode(match[match.lastindex or 0][:PAYLOAD_CHARS])
            if len(said) >= LEAST:
                yield said


def unescaped(text: str) -> str:
    """Escapes of URLs, strings and HTML replaced; bytes among them as UTF-8."""
    raw = bytearray()
    at = 0
    for match in ESCAPE.finditer(text):
        raw += text[at : match.start()].encode("utf-8", "replace")
        octet, point = match[1] or match[2], match[3] or match[5]
        code = int(octet, 16) if octet else int(point, 16) if point else int(match[4])
        raw += bytes([code]) if octet else chr(code).encode("utf-8", "replace") if code < 0x110000 else b"?"
        at = match.end()
    return (raw + text[at:].encode("utf-8", "replace")).decode("utf-8", "replace")


def of_base64(run: str) -> str:
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return readable(a2b_base64(run[: len(run) - (len(run) % 4 == 1)] + "=" * (-len(run) % 4 if len(run) % 4 != 1 else 0)))
    except Error:
        return ""


def of_words(run: str) -> str:
    """An identifier in capitals and small letters, as its words."""
    return BETWEEN.sub(" ", run) if run.rstrip("=").isascii() else ""


def of_base32(run: str) -> str:
    value, n_bits, raw = 0, 0, bytearray()
    for c in run.rstrip("="):
        value, n_bits = (value << 5 | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".index(c)) & 0xFFF, n_bits + 5
        if n_bits >= 8:
            n_bits -= 8
            raw.append(value >> n_bits & 0xFF)
    return readable(bytes(raw))


def of_hex(run: str) -> str:
    digits = run.replace(" ", "").replace(":", "")
    return readable(bytes.fromhex(digits[: len(digits) & ~1]))


def of_octets(run: str) -> str:
    return readable(bytes(int(octet, 2) for octet in re.findall(r"[01]{8}", run)))


def readable(raw: bytes) -> str:
    """The bytes as text, empty when they are something else."""
    for encoding in ("utf-8", "utf-16-le"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.isprintable() or sum(not c.isprintable() and c not in "\n\r\t" for c in text) * 8 <= len(text):
            return text
    return ""
