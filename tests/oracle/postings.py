"""What a snapshot must answer, computed from the rows alone: postings, forward lists, statistics, sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memory_wire.index.check import unpack
from memory_wire.kernels.postings import Parts
from memory_wire.kernels.text import analyse
from tests.oracle.truth import Row


def expected(rows: Iterable[Row], language: int = 1) -> dict[str, object]:
    """Everything that `observed` reads from a snapshot over the same rows."""
    postings: dict[bytes, list[tuple[int, int, int]]] = {}
    forward, units, sessions = {}, {}, {}
    places: dict[tuple[int, int], int] = {}
    tokens = passages = lone = 0
    for unit_id, created, flags, session, position, fields, header, text in sorted(rows):
        forward[unit_id] = unpack(analyse(text, language, header))
        length = sum(counted for _, counted in forward[unit_id])
        for number, (terms, _) in enumerate(forward[unit_id]):
            for term, tf in Counter(terms).items():
                postings.setdefault(term, []).append((unit_id, number, min(tf, 255)))
        for field in set(fields):
            postings.setdefault(field, []).append((unit_id, 0, 1))
        if session >= 0:
            places[session, position] = unit_id
            members, session_tokens = sessions.get(session, (0, 0))
            sessions[session] = (members + 1, session_tokens + length)
        lone += session < 0
        units[unit_id] = (min(max(created // 1000, 0), 2**32 - 1), flags, session, position if session >= 0 else -1, length)
        tokens += length
        passages += len(forward[unit_id])
    totals = (len(units), passages, tokens, lone + len(sessions))
    return {"totals": totals, "postings": postings, "forward": forward, "units": units, "sessions": sessions, "places": places}


def observed(parts: Parts, like: dict[str, object]) -> dict[str, object]:
    """The same facts read from a snapshot; what is asked for by key is asked for the keys of `like`."""
    terms, units, sessions, places = parts.terms(), like["units"], like["sessions"], like["places"]
    assert isinstance(units, dict) and isinstance(sessions, dict) and isinstance(places, dict)
    return {
        "totals": (parts.n_units, parts.n_passages, parts.n_tokens, parts.n_groups),
        "postings": {term: parts.postings(term) for term in terms},
        "forward": {unit_id: parts.forward(unit_id) for unit_id in units},
        "units": {unit_id: parts.unit(unit_id) for unit_id in units},
        "sessions": {session: parts.session(session) for session in sessions},
        "places": {place: parts.neighbour(*place) for place in places},
    }
