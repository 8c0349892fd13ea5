"""Text analysis: folding, tokens, stems, passages, content hash. Text is any str without lone surrogates (they raise ValueError).

Folding: NFKC, case fold, combining marks removed after Latin and Greek letters only, NFC, from tables of one Unicode version, so that
analysis doesn't depend on the running Python.

Words: maximal runs of letters and digits, each letter with its combining marks. A closing 's is dropped, other apostrophes inside a word
are joined (don't -> dont); all else splits. Han, kana, Hangul, Thai, Lao, Khmer and Myanmar letters make runs cut into overlapping bigrams
of graphemes. A grapheme is a letter and the marks after it, Thai and Lao vowels written after their consonant, Hangul vowel and final jamo,
and a letter stacked under the one before by a Khmer coeng or Myanmar virama: extended grapheme clusters, nearly; the same on the
write and the query side. An emoji is one word with all that is joined to it (flags, families, keycaps); skin tone and variation selectors
don't count. Soft hyphens, joiners and other invisible code points are passed over, also the Arabic tatweel; the zero width space separates
words but not graphemes. Trade and service mark are separators. Terms are cut to 64 bytes at a character boundary.
"""

UNICODE_VERSION: str

def fold(text: str) -> str:
    """The folded text. Idempotent."""

def words(text: str) -> list[tuple[str, int, int]]:
    """Folded, unstemmed words in order, each with where it starts and ends in text, in code points.

    A run of a script without spaces gives its bigrams, or its grapheme if it has only one.
    """

def terms(text: str, language: int = 1) -> list[bytes]:
    """The words as index terms: UTF-8, stemmed if language is 1 (English, words of a-z only), never starting below 0x20.

    Raises ValueError for a language other than 0 (no stemming) and 1.
    """

def analyse(text: str, language: int = 1, header: str = "") -> bytes:
    """Packed analysis of a text cut into passages, little-endian.

    u32 passages; per passage u32 start, u32 end (code points), u16 tokens, u16 counted tokens, then the tokens as u8 length and bytes. The
    counted tokens come first and in order, the header's (at most 64) before the passage's own; the others are the single graphemes of runs,
    to be matched but not counted. Sentences (a newline ends one) are added until a passage has 60 words, and it is closed before it would
    exceed 90; a sentence above 90 words is cut there. Text of up to 90 words is one passage. Raises ValueError as terms does.
    """

def stem(word: bytes, language: int = 1) -> bytes:
    """The stem of a folded word: Porter2 as in Snowball 3.1; a word with anything but a-z and ' comes back as it is."""

def prior(term: bytes) -> float:
    """Share of an English stem among all words, 0.1 / (rank + 2.7) summed over its words; 0.0 if it is not among the common ones."""

def is_stop(word: str) -> bool:
    """Whether a folded, unstemmed word is one of the English question and function words that queries drop."""

def content_hash(data: bytes, key: bytes = b"") -> bytes:
    """The first 16 bytes of SHA-256 of key + data."""

def scan_secrets(text: str) -> int:
    """A bit for every redaction rule that may match the text, in the order of guard/rules.py; 0 for text that holds no secret for sure."""

def scan_disguises(text: str) -> int:
    """A bit for every way in which the text may hide another one: invisible characters 1, mixed scripts 2, an encoding 4, markup 8, digits
    for letters 16, single letters 32.
    """

def order_bits(text: str) -> int:
    """The parts (guard/parts.py) that any word of the text plays in orders to a model."""

def order_parts(text: str) -> list[int]:
    """The parts of each word, in the order of words(text)."""
