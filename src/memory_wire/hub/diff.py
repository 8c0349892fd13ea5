"""Differences of two texts by lines, in the unified format. Used by the service.

Lines that both texts have once are anchors (patience diff), between them the shortest edit is looked for (Myers 1986) up to a bound; what
is beyond it is told as replaced. So it is never quadratic in the texts.
"""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct

EDITS = 400  # of one stretch between anchors
CONTEXT = 3  # lines around a change

Match = tuple[int, int, int]  # where in the old lines, where in the new ones, how many


class Diff(Struct):
    added: int
    deleted: int
    text: str


def unified(old: bytes, new: bytes) -> Diff:
    """What changed."""
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    changes = gaps(matches(a, b), len(a), len(b))
    parts = [hunk(a, b, group) for group in grouped(changes)]
    return Diff(sum(c[3] - c[2] for c in changes), sum(c[1] - c[0] for c in changes), "".join(parts))


def gaps(found: list[Match], n_old: int, n_new: int) -> list[tuple[int, int, int, int]]:
    """[(from, to) of the old lines, (from, to) of the new ones] that differ."""
    changes, a, b = [], 0, 0
    for old, new, size in [*found, (n_old, n_new, 0)]:
        if old > a or new > b:
            changes.append((a, old, b, new))
        a, b = old + size, new + size
    return changes


def grouped(changes: list[tuple[int, int, int, int]]) -> list[list[tuple[int, int, int, int]]]:
    """Changes that share context, together."""
    groups: list[list[tuple[int, int, int, int]]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def hunk(a: list[bytes], b: list[bytes], group: list[tuple[int, int, int, int]]) -> str:
    first, last = max(group[0][0] - CONTEXT, 0), min(group[-1][1] + CONTEXT, len(a))
    lines: list[str] = []
    at = first
    for old, old_end, new, new_end in group:
        lines += [shown(" ", line) for line in a[at:old]]
        lines += [shown("-", line) for line in a[old:old_end]]
        lines += [shown("+", line) for line in b[new:new_end]]
        at = old_end
    lines += [shown(" ", line) for line in a[at:last]]
    start = group[0][2] - (group[0][0] - first)
    size = last - first + sum((new_end - new) - (old_end - old) for old, old_end, new, new_end in group)
    return f"@@ -{span(first, last - first)} +{span(start, size)} @@\n" + "".join(lines)


def span(start: int, size: int) -> str:
    return f"{start + 1 if size else start},{size}" if size != 1 else f"{start + 1}"


def shown(mark: str, line: bytes) -> str:
    """One line; a carriage return stays visible to who looks for it."""
    text = line.decode("utf-8", "replace")
    return f"{mark}{text}" if text.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"


# matching --------------------------------------------------------------------------------------------------------------------------


def matches(a: list[bytes], b: list[bytes]) -> list[Match]:
    """Stretches of equal lines, ascending in both."""
    found: list[Match] = []
    stack = [(0, len(a), 0, len(b))]
    while stack:
        low, high, first, last = stack.pop()
        while low < high and first < last and a[low] == b[first]:
            found.append((low, first, 1))
            low, first = low + 1, first + 1
        while low < high and first < last and a[high - 1] == b[last - 1]:
            high, last = high - 1, last - 1
            found.append((high, last, 1))
        if low == high or first == last:
            continue
        anchors = unique(a, b, low, high, first, last)
        if not anchors:
            found += shortest(a, b, low, high, first, last)
            continue
        for old, new in [*anchors, (high, last)]:
            stack.append((low, old, first, new))
            low, first = old, new
    return joined(sorted(found))


def joined(found: list[Match]) -> list[Match]:
    together: list[Match] = []
    for old, new, size in found:
        if together and together[-1][0] + together[-1][2] == old and together[-1][1] + together[-1][2] == new:
            together[-1] = (together[-1][0], together[-1][1], together[-1][2] + size)
        else:
            together.append((old, new, size))
    return together


def unique(a: list[bytes], b: list[bytes], low: int, high: int, first: int, last: int) -> list[tuple[int, int]]:
    """Lines that stand once in either stretch, as many as keep their order."""
    old, new = once(a, low, high), once(b, first, last)
    pairs = [(place, new[line]) for line, place in old.items() if line in new]
    pairs.sort()
    tails: list[int] = []  # of the longest ascending run of each length: where it ends
    ends: list[int] = []
    before: list[int] = []
    for place, (_, target) in enumerate(pairs):
        at = bisect_left(tails, target)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [target]
        ends[at : at + 1] = [place]
    run: list[tuple[int, int]] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        run.append(pairs[place])
        place = before[place]
    return run[::-1]


def once(lines: list[bytes], low: int, high: int) -> dict[bytes, int]:
    seen: dict[bytes, int] = {}
    for place in range(low, high):
        seen[lines[place]] = -1 if lines[place] in seen else place
    return {line: place for line, place in seen.items() if place >= 0}


def shortest(a: list[bytes], b: list[bytes], low: int, high: int, first: int, last: int) -> list[Match]:
    """The equal lines of a shortest edit; none when that takes more than EDITS steps."""
    n, m = high - low, last - first
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(n + m, EDITS) + 1):
        trail.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < n and y < m and a[low + x] == b[first + y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= n and y >= m:
                return walked(trail, n, m, low, first)
    return []


def walked(trail: list[dict[int, int]], x: int, y: int, low: int, first: int) -> list[Match]:
    """The equal lines on the way back."""
    found: list[Match] = []
    for edits in range(len(trail) - 1, -1, -1):
        reach, diagonal = trail[edits], x - y
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        to_x = reach[before]
        to_y = to_x - before
        while x > to_x and y > to_y and x > 0 and y > 0:
            x, y = x - 1, y - 1
            found.append((low + x, first + y, 1))
        x, y = to_x, to_y
    return found
