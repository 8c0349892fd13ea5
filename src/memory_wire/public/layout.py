"""Where the nodes of a hub's picture stand: bundles on an outer ring, their documents around them, the others on rings inside.

A pure function of the order of nodes and of who belongs to whom; coordinates are rounded, so that equal graphs make equal bytes.
"""

from __future__ import annotations

from math import cos, pi, sin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OUTER = 380.0  # radius of the bundles' ring
ORBIT = 110.0  # of the documents around their bundle
INNER = 90.0  # of the first ring of documents that belong to none
GAP = 44.0  # between rings
ROOM = 30.0  # that a node takes on a ring

Point = tuple[float, float]


def placed(bundles: Sequence[Sequence[str]], loose: Sequence[str]) -> tuple[list[Point], dict[str, Point]]:
    """(a place for each bundle, one for each document). `bundles` are the documents that stand around each; a document stands once."""
    places: dict[str, Point] = {}
    reach = INNER
    for radius, ring in rings(loose, INNER):
        reach = radius
        for at, document in enumerate(ring):
            places[document] = point(0.0, 0.0, radius, at, len(ring))
    orbits = [[radius for radius, _ in rings(members, ORBIT)] for members in bundles]
    widest = max((orbit[-1] for orbit in orbits if orbit), default=0.0)
    outer = max(OUTER, reach + widest + GAP, (2 * widest + GAP) * len(bundles) / (2 * pi))
    centres = []
    for at, members in enumerate(bundles):
        centre = point(0.0, 0.0, outer, at, len(bundles))
        centres.append(centre)
        for radius, ring in rings(members, ORBIT):
            for turn, document in enumerate(ring):
                places[document] = point(*centre, radius, turn, len(ring))
    return centres, places


def rings(nodes: Sequence[str], first: float) -> list[tuple[float, Sequence[str]]]:
    """(radius, nodes) of the rings that hold them, from the inside."""
    found = []
    at, radius = 0, first
    while at < len(nodes):
        room = max(1, int(2 * pi * radius / ROOM))
        found.append((radius, nodes[at : at + room]))
        at, radius = at + room, radius + GAP
    return found


def point(x: float, y: float, radius: float, at: int, count: int) -> Point:
    """The place of one of `count` on a ring, the first on top, clockwise."""
    angle = 2 * pi * at / count - pi / 2
    return round(x + radius * cos(angle), 1) + 0.0, round(y + radius * sin(angle), 1) + 0.0
