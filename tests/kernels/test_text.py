"""words(), terms(), stop words, the prior and the content hash against tests/oracle/text.py, and by example."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.kernels import text
from tests.kernels.test_text_strategies import odd_text
from tests.oracle import folding
from tests.oracle import text as oracle

FAMILY = "👨\u200d👩\u200d👧"
SCRIPTS = [
    ("会議", "東京タワーの近くで会議をした"),
    ("数据库", "我们决定使用数据库迁移方案"),
    ("समय सीमा", "हमने परियोजना की समय सीमा बदल दी"),
    ("காலக்கெடு", "திட்டத்தின் காலக்கெடு மாற்றப்பட்டது"),
    ("пятницу", "мы решили перенести релиз на пятницу"),
    ("الجمعة", "قررنا تأجيل الإصدار إلى يوم الجمعة"),
    ("금요일", "배포 일정을 금요일로 옮겼다"),
    ("กำหนดส่ง", "เราเลื่อนกำหนดส่งเป็นวันศุกร์"),
    ("ກໍານົດ", "ພວກເຮົາກໍານົດວັນ"),
    ("ក្រុម", "ជំនួបក្រុមនៅថ្ងៃសុក្រ"),
    ("အစည်းအဝေး", "သောကြာနေ့အစည်းအဝေးရှိသည်"),
    ("cafe orleans", "le café déménage à Orléans"),
    ("🚀", "ship it 🚀 then rest"),
    ("👍", "fine 👍🏽 by me"),
]


def plain(sample: str) -> list[str]:
    return [word for word, _, _ in text.words(sample)]


@settings(deadline=None)
@given(odd_text)
def test_words_equal_the_oracle(sample):
    assert text.words(sample) == oracle.words(sample)


@settings(deadline=None)
@given(odd_text, st.sampled_from([0, 1]))
def test_terms_equal_the_oracle(sample, language):
    assert text.terms(sample, language) == oracle.terms(sample, language)


@settings(deadline=None)
@given(odd_text)
def test_terms_are_the_stems_of_the_words(sample):
    assert text.terms(sample) == [text.stem(word.encode()) for word in plain(sample)]


def test_every_code_point_between_words_equals_the_oracle():
    alike = [("\uac10", "\ud7a3"), ("\u4e10", "\u9f00"), ("\U00020010", "\U00031340"), ("\ud800", "\uf8ff"), ("\U000f0000", "\U0010ffff")]
    rare = [char for char in folding.known() if not any(first <= char <= last for first, last in alike)]
    wrong = [hex(ord(char)) for char in rare if text.words(f"b{char}2中{char}") != oracle.words(f"b{char}2中{char}")]
    assert wrong == []


@settings(deadline=None)
@given(odd_text)
def test_words_lie_in_order_within_the_text(sample):
    last = 0
    for word, start, end in text.words(sample):
        assert last <= start < end <= len(sample)
        assert 0 < len(word.encode()) <= 64
        last = start


@settings(deadline=None)
@given(odd_text)
def test_every_term_of_a_text_is_indexed(sample):
    indexed = {term for passage in oracle.unpack(text.analyse(sample)) for term in passage.counted + passage.extra}
    assert set(text.terms(sample)) <= indexed


@pytest.mark.parametrize(("query", "memory"), SCRIPTS)
def test_queries_in_any_script_find_their_text(query, memory):
    (passage,) = oracle.unpack(text.analyse(memory))
    assert text.terms(query)
    assert set(text.terms(query)) <= set(passage.counted + passage.extra)


def test_one_grapheme_finds_longer_runs():
    (passage,) = oracle.unpack(text.analyse("会議を"))
    assert passage.counted == [w.encode() for w in ("会議", "議を")]
    assert passage.extra == [w.encode() for w in ("会", "議", "を")]
    assert text.terms("会") == ["会".encode()]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("don't Don’t DONʼT", ["dont", "dont", "dont"]),
        ("James's dogs' dog's' it's 's", ["james", "dogs", "dog", "it", "s"]),
        ("rock'n'roll 'tis a's's", ["rocknroll", "tis", "as"]),
        ("nonce-7 a_b x/y v1.2 C++", ["nonce", "7", "a", "b", "x", "y", "v1", "2", "c"]),
        ("naïve e\u0301te\u0301", ["naive", "ete"]),
        ("iPhone手机 3月", ["iphone", "手机", "3", "月"]),
        ("soft\u00adhyphen zero\u200bwidth re\u2060join", ["softhyphen", "zero", "width", "rejoin"]),
        ("ភាសា\u200bខ្មែរ", plain("ភាសាខ្មែរ")),
        ("Acme™ ½ x²", ["acme", "1", "2", "x2"]),
        ("محـــمد", ["محمد"]),
        ("", []),
        ("... !!! \u0301", []),
    ],
)
def test_words_by_example(sample, words):
    assert plain(sample) == words


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("ok👍🏽👍", ["ok", "👍", "👍"]),
        (f"a{FAMILY}b", ["a", FAMILY, "b"]),
        ("🇺🇸🇩🇪🇫", ["🇺🇸", "🇩🇪", "🇫"]),
        ("x1\ufe0f\u20e3#\u20e3", ["x", "1\u20e3", "#\u20e3"]),
        ("❤\ufe0f❤", ["❤", "❤"]),
        ("🏴\U000e0067\U000e0062\U000e007f", ["🏴\U000e0067\U000e0062\U000e007f"]),
        ("👩\u200d", ["👩"]),
        ("🏽", ["🏽"]),
    ],
)
def test_an_emoji_is_one_word_with_all_that_is_joined_to_it(sample, words):
    assert plain(sample) == words


def test_offsets_are_code_points_of_the_text():
    sample = "🚀 rock’n’roll’s Le cafe\u0301’s ﬁn 会議を"
    assert [(word, sample[start:end]) for word, start, end in text.words(sample)] == [
        ("🚀", "🚀"), ("rocknroll", "rock’n’roll"), ("le", "Le"), ("cafe", "cafe\u0301"), ("fin", "ﬁn"), ("会議", "会議"), ("議を", "議を"),
    ]  # fmt: skip


def test_long_words_are_cut_at_a_character():
    assert plain("x" * 100) == ["x" * 64]
    assert plain("б" * 40) == ["б" * 32]
    assert plain("a" + "б" * 40) == ["a" + "б" * 31]
    assert plain("y" * 70 + "'s") == ["y" * 64]
    assert text.terms("a" * 61 + "ingй") == [b"a" * 61]
    assert plain("ก" + "\u0e48" * 30 + "ข") == ["ก" + "\u0e48" * 20]


def test_stacked_letters_and_vowels_behind_belong_to_their_grapheme():
    assert plain("ក្រុម") == ["ក្រុម"]
    assert plain("သန္တာ") == ["သန္တာ"]
    assert plain("มานะ") == ["มานะ"]
    assert plain("\u1112\u119e\u11ab") == ["\u1112\u119e\u11ab"]


def test_words_with_digits_or_other_letters_are_not_stemmed():
    assert text.terms("running running2 bruсhing") == [b"run", b"running2", "bruсhing".encode()]
    assert text.terms("running", 0) == [b"running"]


@pytest.mark.parametrize("language", [-1, 2])
def test_unknown_languages_are_refused(language):
    for call in (lambda: text.terms("a", language), lambda: text.analyse("a", language), lambda: text.stem(b"a", language)):
        with pytest.raises(ValueError, match="language"):
            call()


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        ("words", b"a"),
        ("terms", None),
        ("analyse", 1),
        ("fold", b"a"),
        ("stem", "a"),
        ("prior", "a"),
        ("is_stop", b"a"),
        ("content_hash", "a"),
    ],
)
def test_other_types_are_refused(function, argument):
    with pytest.raises(TypeError):
        getattr(text, function)(argument)


def test_stop_words_are_the_recipes():
    assert {word for word in oracle.english_ranks() if text.is_stop(word)} == oracle.STOP_WORDS & set(oracle.english_ranks())
    assert all(map(text.is_stop, oracle.STOP_WORDS))
    assert not any(map(text.is_stop, ["", "i", "my", "we", "not", "dont", "what's", "What", "abouts", "是", "a\0"]))


def test_prior_is_the_zipf_frequency_of_the_stem():
    expected = oracle.priors()
    assert len(expected) > 2000
    assert {stem: pytest.approx(text.prior(stem), rel=1e-6) for stem in expected} == expected
    assert text.prior(b"the") == pytest.approx(0.1 / 3.7, rel=1e-6)


@settings(deadline=None)
@given(st.binary(max_size=12))
def test_prior_of_anything_else_is_nothing(term):
    assert (text.prior(term) > 0) == (term in oracle.priors())


@settings(deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=130))
def test_content_hash_is_the_head_of_sha256(data, key):
    assert text.content_hash(data, key) == hashlib.sha256(key + data).digest()[:16]
    assert text.content_hash(data) == hashlib.sha256(data).digest()[:16]


def test_content_hash_at_every_length_of_a_block():
    for length in range(200):
        assert text.content_hash(b"x" * length) == hashlib.sha256(b"x" * length).digest()[:16]


def test_content_hash_of_long_data():
    data = bytes(range(256)) * 4096
    assert text.content_hash(data, b"key") == hashlib.sha256(b"key" + data).digest()[:16]
