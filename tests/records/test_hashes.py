"""When two hashes of a source are the same: one comparison for everything that asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_wire.hashes import agree, is_digest

A, B = "ab" * 32, "cd" * 20


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (A, A.upper(), True),
        (f"sha256:{A}", A, True),
        (f"sha256:{A}", f"SHA-256:{A.upper()}", True),
        (f"sha256:{A}", f"sha3-256:{A}", False),
        (f"git:{B}", f"git-blob:{B}", True),
        (f"git:{B}", f"sha1:{B}", False),
        (f"git:{B}", f"sha256:{A} git:{B}", True),
        (f"sha1:{B}", f"sha256:{A} git:{B}", False),
        ("etag:Xyz", "etag:xyz", False),
        ("Xyz", "xyz", False),
        ("v1 beta", "v1 gamma", False),
        (f"v1 {A}", A, False),
        ("", A, False),
    ],
)
def test_when_two_hashes_agree(one: str, other: str, same: bool) -> None:
    assert (agree(one, other), agree(other, one)) == (same, same)


def test_what_is_a_digest() -> None:
    assert [is_digest(text) for text in (A, f"git:{B} {A}", f"{A} secret", "v1", "")] == [True, True, False, False, False]


@given(st.text(max_size=40), st.text(max_size=40))
def test_agreeing_is_mutual(one: str, other: str) -> None:
    assert agree(one, one) and agree(one, other) == agree(other, one)
