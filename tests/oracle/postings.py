"""What a snapshot must answer, computed from the units alone: postings, forward lists, statistics, sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memory_wire.index.check import unpack
from memory_wire.kernels.postings import Parts
from memory_wire.kernels.text import analyse
from tests.oracle.truth import Row

Facts = dict[str, Any]


class Unit(NamedTuple):
    """An indexed unit; passages are (tokens, how many of them count)."""

    id: int
    time: int
    flags: int
    session: int
    position: int
    fields: Sequence[bytes]
    passages: Sequence[tuple[list[bytes], int]]


def unit_of(row: Row, language: int = 1) -> Unit:
    """A row as it is to be indexed."""
    unit_id, created, flags, session, position, fields, header, text = row
    seconds = min(max(created // 1000, 0), 2**32 - 1)
    return Unit(unit_id, seconds, flags, session, position if session >= 0 else -1, fields, unpack(analyse(text, language, header)))


def expected(units: Iterable[Unit]) -> Facts:
    """Everything that `observed` reads from a snapshot over the same units."""
    postings: dict[bytes, list[tuple[int, int, int]]] = {}
    sessions: dict[int, tuple[int, int]] = {}
    facts: Facts = {"postings": postings, "sessions": sessions, "forward": {}, "units": {}, "places": {}}
    tokens = passages = lone = 0
    for unit in sorted(units):
        length = sum(counted for _, counted in unit.passages)
        for number, (terms, _) in enumerate(unit.passages):
            for term, tf in Counter(terms).items():
                postings.setdefault(term, []).append((unit.id, number, min(tf, 255)))
        for field in set(unit.fields):
            postings.setdefault(field, []).append((unit.id, 0, 1))
        if unit.session >= 0:
            facts["places"][unit.session, unit.position] = unit.id
            members, before = sessions.get(unit.session, (0, 0))
            sessions[unit.session] = (members + 1, before + length)
        lone += unit.session < 0
        facts["units"][unit.id] = (unit.time, unit.flags, unit.session, unit.position, length)
        facts["forward"][unit.id] = [(list(terms), counted) for terms, counted in unit.passages]
        tokens += length
        passages += len(unit.passages)
    facts["totals"] = (len(facts["units"]), passages, tokens, lone + len(sessions))
    return facts


def observed(parts: Parts, like: Facts) -> Facts:
    """The same facts read from a snapshot; units, sessions and places are asked for by the keys of `like`."""
    return {
        "totals": (parts.n_units, parts.n_passages, parts.n_tokens, parts.n_groups),
        "postings": {term: parts.postings(term) for term in parts.terms()},
        "forward": {unit_id: parts.forward(unit_id) for unit_id in like["units"]},
        "units": {unit_id: parts.unit(unit_id) for unit_id in like["units"]},
        "sessions": {session: parts.session(session) for session in like["sessions"]},
        "places": {place: parts.neighbour(*place) for place in like["places"]},
    }
