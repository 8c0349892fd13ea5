"""Banks for the ranking tests: oracle units turned into segments and a live arena, and the Hypothesis strategies that make them up."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memory_wire.kernels import rank
from memory_wire.kernels.postings import Live, Parts, Segment
from tests.oracle.ranking import Passage, Query, Slot, Unit

STORE = b"s" * 16
VOCABULARY = [b"ant", b"bee", b"cow", b"dog", b"eel", b"fox", b"gnu", b"hen"]
DATES = [b"\x01d16", b"\x01m6", b"\x01y2023"]
ALLOWED = b"\x02ok"
REACH = 8
PROPERTY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy; nothing here is timed


def packed(passages: Sequence[Passage]) -> bytes:
    """The analysis of a unit as the write path makes it."""
    out = [struct.pack("<I", len(passages))]
    for passage in passages:
        out.append(struct.pack("<IIHH", 0, 0, len(passage.tokens), passage.counted))
        out += [bytes([len(token)]) + token for token in passage.tokens]
    return b"".join(out)


def fields(unit: Unit) -> list[bytes]:
    return [*sorted(unit.dates), *([ALLOWED] if unit.allowed else []), *(b"\x03" + word for word in sorted(unit.speaker))]


def live_of(units: Sequence[Unit]) -> Live:
    live = Live(max(len(units), 1), 1, max(sum(len(unit.passages) for unit in units), 1))
    for unit in units:
        session = -1 if unit.session is None else int(unit.session)
        position = -1 if unit.session is None else unit.position
        assert live.append(unit.id, unit.id * 10, int(unit.user), session, position, fields(unit), packed(unit.passages))
    return live


def dead_bits(units: Sequence[Unit]) -> bytes | None:
    bits = sum(unit.dead << index for index, unit in enumerate(units))
    return bits.to_bytes((len(units) + 63) // 64 * 8, "little") if bits else None


def parts_of(units: Sequence[Unit], cuts: Sequence[int], folder: Path, beyond: int = 0) -> Parts:
    """A snapshot over the units cut at these places: segments, then a live arena with `beyond` more units the snapshot does not see."""
    edges = [0, *sorted({min(cut, len(units)) for cut in cuts}), len(units)]
    pieces = [units[start:stop] for start, stop in itertools.pairwise(edges) if start < stop]
    members: list[tuple[Segment | Live, int, bytes | None]] = []
    for index, piece in enumerate(pieces):
        if index == len(pieces) - 1:
            newest = units[-1].id
            unseen = [Unit(newest + 1 + i, (Passage((b"ant", b"bee"), 2),), session=0, position=900 + i) for i in range(beyond)]
            members.append((live_of([*piece, *unseen]), len(piece), dead_bits(piece)))
        else:
            path = str(folder / f"{index}.segment")
            live_of(piece).write(path, STORE)
            members.append((Segment.open(path), len(piece), dead_bits(piece)))
    sessions = [int(unit.session) for unit in units if unit.session is not None]
    return Parts(members, max(sessions, default=-1) + 1)


def kernel_query(query: Query) -> rank.Query:
    terms = [slot.term for slot in query.slots]
    slots = []
    for slot in query.slots:
        alternates = [(key, weight, prior(key)) for key, weight in slot.alternates]
        slots.append((slot.term, slot.count, prior(slot.term), slot.date, alternates))
    return rank.Query(slots, [(terms.index(first), terms.index(second)) for first, second in query.bigrams])


def prior(term: bytes) -> float:
    """Two words of general English, the rest unknown to it."""
    return {b"ant": 0.01, b"bee": 0.0004}.get(term, 0.0)


# Strategies.

TOKENS = st.sampled_from(VOCABULARY)


@st.composite
def passages(draw: st.DrawFn, most: int) -> tuple[Passage, ...]:
    found = []
    for tokens in draw(st.lists(st.lists(TOKENS, max_size=9), min_size=1, max_size=most)):
        extras = draw(st.integers(0, len(tokens))) if draw(st.booleans()) else 0
        found.append(Passage(tuple(tokens), len(tokens) - extras))
    return tuple(found)


@st.composite
def banks(draw: st.DrawFn, sessions: bool = True, most_passages: int = 3, most: int = 24) -> list[Unit]:
    """Units with ascending ids; positions in a session have holes, but a live neighbour is never more than REACH places away."""
    units: list[Unit] = []
    next_position: dict[int, int] = {}
    dead_run: dict[int, int] = {}
    ident = 0
    for _ in range(draw(st.integers(1, most))):
        ident += draw(st.integers(1, 3))
        session = draw(st.sampled_from([None, 0, 1, 2])) if sessions else None
        dead = draw(st.integers(0, 4)) == 0
        position = 0
        if session is not None:
            position = next_position.get(session, 0) + draw(st.integers(0, 1))
            dead = dead and dead_run.get(session, 0) < REACH // 2 - 1
            dead_run[session] = dead_run.get(session, 0) + 1 if dead else 0
            next_position[session] = position + 1
        units.append(
            Unit(
                id=ident,
                passages=draw(passages(most_passages)),
                session=session,
                position=position,
                dates=frozenset(draw(st.sets(st.sampled_from(DATES), max_size=2))),
                speaker=frozenset(draw(st.sets(TOKENS, max_size=1))),
                user=draw(st.booleans()),
                dead=dead,
                allowed=draw(st.integers(0, 3)) > 0,
            )
        )
    return units


@st.composite
def queries(draw: st.DrawFn, dates: bool = True) -> Query:
    slots = []
    for term in draw(st.lists(st.sampled_from([*VOCABULARY, b"yak"]), min_size=1, max_size=5, unique=True)):
        kind = draw(st.sampled_from(["exact", "exact", "fuzzy", "synonym", "none"]))
        others = draw(st.lists(TOKENS.filter(lambda word, own=term: word != own), min_size=1, max_size=3, unique=True))
        alternates = {
            "exact": [(term, 1.0)],
            "fuzzy": [(word, 0.8 - 0.1 * i) for i, word in enumerate(others)],
            "synonym": [(term, 1.0), *((word, 0.7) for word in others)],
            "none": [],
        }[kind]
        date = draw(st.sampled_from([None, None, *DATES])) if dates else None
        slots.append(Slot(term, draw(st.integers(1, 2)), tuple(alternates), date))
    terms = [slot.term for slot in slots if (slot.term, 1.0) in slot.alternates]
    if not terms:
        return Query(tuple(slots))
    pairs = st.lists(st.tuples(st.sampled_from(terms), st.sampled_from(terms)), max_size=4, unique=True)
    return Query(tuple(slots), tuple(draw(pairs)))
