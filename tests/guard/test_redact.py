"""Redaction: every kind is caught, engineering text is left alone, nothing is redacted twice, keys stay different."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.guard.numbers import is_card
from memory_wire.guard.redact import redact, redact_key
from memory_wire.guard.rules import KINDS, RULES
from memory_wire.kernels.text import scan_secrets
from tests.guard.samples import CLEAN, SECRETS


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_a_secret_is_redacted_by_its_kind(kind: str, text: str) -> None:
    clean, hits = redact(text)
    assert kind in dict(hits)
    assert f"[REDACTED:{kind}]" in clean


@pytest.mark.parametrize("text", CLEAN)
def test_engineering_text_is_left_alone(text: str) -> None:
    clean, hits = redact(text)
    assert clean is text
    assert hits == ()


def test_every_kind_has_a_sample() -> None:
    assert {kind for kind, _ in SECRETS} == set(KINDS)


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_redaction_is_idempotent(kind: str, text: str) -> None:
    clean, _ = redact(text)
    assert redact(clean) == (clean, ())


def test_counts_are_per_kind_in_rule_order() -> None:
    clean, hits = redact("a@b.example c@d.example sk-abcdefgh12345678")
    assert hits == (("api_key", 1), ("email", 2))
    assert clean == "[REDACTED:email] [REDACTED:email] [REDACTED:api_key]"


def test_surrounding_text_survives() -> None:
    assert redact("postgres://user:s3cret@db/app?x=1")[0] == "postgres://user:[REDACTED:url_password]@db/app?x=1"
    assert redact("iban DE89 3704 0044 0532 0130 00 thanks")[0] == "iban [REDACTED:iban] thanks"


def test_keys_keep_personal_data_and_stay_different() -> None:
    def digest(raw: bytes) -> bytes:
        return bytes([len(raw), raw[-1], 0, 1, 9])

    one, hits = redact_key("mail/a@b.example/sk-abcdefgh12345678", digest)
    other, _ = redact_key("mail/a@b.example/sk-abcdefgh12345679", digest)
    assert hits == (("api_key", 1),)
    assert one.startswith("mail/a@b.example/[REDACTED:api_key:")
    assert one != other
    assert redact_key("plain", digest) == ("plain", ())


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, text in SECRETS if kind not in {"card", "iban", "email", "phone"}])
def test_a_redacted_key_is_stable(kind: str, text: str) -> None:
    once, hits = redact_key(f"token={text}", lambda raw: b"\x3f\xd0\x12\x34")
    assert hits
    assert redact_key(once, lambda raw: b"\xff\xff\xff\xff") == (once, ())
    assert redact(once) == (once, ())


WORDS = st.sampled_from([text for _, text in SECRETS] + CLEAN)
NOISE = st.text(st.sampled_from(string.ascii_letters + string.digits + " .-_:/@+=\"'<>\n€ſK９"), max_size=40)


@given(st.lists(st.one_of(WORDS, NOISE), max_size=6), st.sampled_from(["", " ", "\n", "."]))
def test_the_prefilter_never_misses_what_a_rule_would_find(parts: list[str], glue: str) -> None:
    text = glue.join(parts)
    bits = scan_secrets(text)
    for rule in RULES:
        assert bits & rule.bit or not rule.find(text), rule.kind


@given(st.lists(st.one_of(WORDS, NOISE), max_size=6), st.sampled_from(["", " ", "\n", "."]))
def test_redacting_twice_changes_nothing(parts: list[str], glue: str) -> None:
    once, _ = redact(glue.join(parts))
    assert redact(once) == (once, ())


HOSTILE = {
    "private": "<private>",
    "pem": "-----BEGIN PRIVATE KEY-----",
    "urls": "://a:",
    "dashes": "sk-",
    "at": "a@",
    "mail": "a@b.c.",
    "local": "a",
    "digits": "4111 ",
    "plus": "+1 ",
    "iban": "DE89 3704 ",
    "aws": "aws key ",
    "assign": "password=",
    "quote": 'password="',
    "bearer": "bearer ",
    "jwt": "eyJa.",
    "pemline": "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n",
}


@pytest.mark.parametrize("seed", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_of_a_megabyte_is_finished(seed: str) -> None:
    text = seed * (1_000_000 // len(seed))
    clean, _ = redact(text)
    assert len(clean) <= 8 * len(text)


@given(st.from_regex(r"[0-9]{12,19}", fullmatch=True))
def test_luhn_matches_the_schoolbook_sum(digits: str) -> None:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    if is_card(digits):
        assert total % 10 == 0
