"""Unicode facts that unicodedata doesn't carry, from emoji-data.txt and DerivedCoreProperties.txt of Unicode 14.0.

Read by make_unicode.py and by tests/oracle/text.py; each draws its own conclusions from them.
"""

# Extended_Pictographic, symbols and places reserved for new emoji only: no punctuation (U+203C), nothing NFKC turns into letters (U+2122).
EMOJI = """
A9 AE 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685
2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935
2B05-2B07 2B1B-2B1C 2B50 2B55 1F000-1F0FF 1F10D-1F10F 1F12F 1F16D-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F203-1F20F
1F23C-1F23F 1F249-1F24F 1F252-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F
1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
"""
SKIN_TONES = "1F3FB-1F3FF"
REGIONAL = "1F1E6-1F1FF"
EMOJI_TAGS = "E0020-E007F"
VARIATION = "FE0E-FE0F"

# Default_Ignorable_Code_Point, assigned ones, without U+200B (zero width space), which separates words.
IGNORABLE = """
AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200C-200F 202A-202E 2060-2064 2066-206F 3164 FE00-FE0F FEFF FFA0 1BCA0-1BCA3 1D173-1D17A
E0001 E0020-E007F E0100-E01EF
"""
TATWEEL = "640"  # stretches an Arabic word, means nothing

APOSTROPHES = "27 2018 2019 2BB 2BC"
NO_WORD = "2120 2122"  # service mark and trade mark: NFKC makes them letters, which would glue them to the name before

# Names of letters in scripts written without spaces between words (Scripts.txt; the common-script ones are used in them only).
SPACELESS_NAMES = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ", "VERTICAL IDEOGRAPHIC ", "HANGZHOU NUMERAL",
    "HIRAGANA ", "KATAKANA ", "KATAKANA-HIRAGANA ", "HENTAIGANA ", "VERTICAL KANA ", "MASU MARK",
    "HANGUL ", "THAI ", "LAO ", "KHMER ", "MYANMAR ",
)  # fmt: skip
# Letters that belong to the grapheme before: Thai and Lao vowels written after their consonant, Hangul vowel and final jamo.
ATTACHED = "E30 E32 E45 EB0 EB2 1160-11FF D7B0-D7FB"


def points(ranges: str) -> set[int]:
    """The code points of a list of hexadecimal points and ranges."""
    out: set[int] = set()
    for item in ranges.split():
        first, _, last = item.partition("-")
        out.update(range(int(first, 16), int(last or first, 16) + 1))
    return out
