"""Text that the text kernels treat apart, for the tests beside this one; here, only that it reaches what it is made for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import folding

LETTERS = "abcsStT0179 éßǅİµΑςσбйЙЁ東京タワガｶ한글ᄒㅏᆨกหนดเาະຳខ្មែမြက्षகிمّש"
MARKS = "\u0301\u0323\u0308\u0345\u093c\u0e38\u0e48\u0e33\u1039\u17d2\u3099\uff9e\u09be\u20e3\u0338"
INVISIBLE = "\u00ad\u034f\u200b\u200c\u200d\u2060\ufe0f\ufeff\u0640\u115f\U000e0067\U000e007f\U000e0101"
SIGNS = "'’ʼ‘.,!?…。！”」)#*_-/©<=\n\r\t\x85\xa0\u2028\u3000\x00\x1c½²™℠①ﷺ㏂ﬁ¨ͺ"
EMOJI = "🚀👍🏽👩💻🇺🇸🏴❤☎🏻\U0001fae8"
PIECES = (
    "don't", "rock’n’roll’s", "it's ", "dogs' ", "James's", "’s", "1\ufe0f\u20e3", "#\u20e3", "👩\u200d💻", "🇺🇸", "👍🏽", "会議を",
    "กำหนดส่ง", "ក្រុម", "သန္တာ", "한국어", "naïve", "running", "generously. ", "word ", "end.\n", "x" * 70, "é" * 40,
    "中" * 30, "a\u0301" * 3, "क्षमा",
)  # fmt: skip

characters = (
    st.sampled_from(LETTERS)
    | st.sampled_from(MARKS)
    | st.sampled_from(INVISIBLE)
    | st.sampled_from(SIGNS)
    | st.sampled_from(EMOJI)
    | st.sampled_from(sorted(folding.known() - {chr(c) for c in range(0xD800, 0xE000)}))
)
odd_text = st.lists(characters | st.sampled_from(PIECES), max_size=25).map("".join)

SENTENCE_PIECES = (
    "word ", "Word. ", "really? ", "end.\n", "\n", "。", "東京", "会議を開いた", "中" * 40, "中" * 100,
    "a b c d e f g h i j ", "k " * 30, "z " * 95, "don't ", "🚀", "... ", "!) ", "กำหนด", "—", "  ",
)  # fmt: skip
long_text = st.lists(st.sampled_from(SENTENCE_PIECES), max_size=60).map("".join)


@settings(deadline=None)
@given(odd_text)
def test_samples_are_text_the_kernels_take(text):
    assert text.encode().decode() == text
    assert set(text) <= folding.known() | set(EMOJI)


def test_samples_hold_every_kind_of_character():
    kinds = {folding.kind_of(char) for char in LETTERS + MARKS + INVISIBLE + SIGNS}
    assert kinds == {"word", "mark", "grapheme", "attached", "ignored", "zwsp", "apostrophe", "separator"}
