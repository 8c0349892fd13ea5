"""Real engineering text of the machine that the tests run on: next to nothing of it is refused or redacted without reason."""

from __future__ import annotations

from itertools import islice

from bench.guard.corpus import documents
from bench.guard.verdicts import judged, mark
from memory_wire.guard.injection import screen
from memory_wire.guard.redact import redact
from memory_wire.guard.rules import PERSONAL_KINDS

SENTENCES = list(dict.fromkeys(islice(documents(), 6000)))


def test_there_are_enough_sentences() -> None:
    assert len(SENTENCES) >= 2000


def test_at_most_one_sentence_in_200_is_refused() -> None:
    refused = [text for text in SENTENCES if screen(text)]
    assert len(refused) <= 0.005 * len(SENTENCES), refused


def test_at_most_one_sentence_in_200_is_redacted_without_reason() -> None:
    """Addresses and numbers of persons are in READMEs for real; what is taken for a credential there mostly is none."""
    verdicts = judged()
    credentials = [text for text in SENTENCES if {kind for kind, _ in redact(text)[1]} - PERSONAL_KINDS]
    wrong = [text for text in credentials if verdicts.get(mark(text)) != "right"]
    assert len(wrong) <= 0.005 * len(SENTENCES), wrong
