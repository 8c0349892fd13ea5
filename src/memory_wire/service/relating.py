"""How two records stand to each other, judged from their words alone: what one says beyond the other, and where it says something else.

Deterministic and cheap; a candidate for a person or a model to look at, never a verdict. Used by the archivist.
"""

from __future__ import annotations

from msgspec import Struct

from memory_wire.kernels import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

SAME_TOPIC = 0.5  # share of the older record's weight that the newer one must speak of, to be about the same
COVERED = 0.8  # share from which one counts as said by the other
NEAR = 0.2  # share of what both say, in all that they say, from which they are related
SHARED = 2  # rare words that make records related by themselves
RARE = 3.0  # idf of such a word: natural logarithm, about one passage in twenty
NAMED = 3  # words shown in a reason

NEGATIONS = frozenset("not never no none neither nor without cannot cant dont doesnt didnt isnt arent wasnt wont shouldnt mustnt".split())
CHANGES = frozenset(
    "now instead replaced replaces replacing renamed moved switched migrated deprecated superseded obsolete dropped anymore formerly"
    " previously changed upgraded retired".split()
)
OPPOSITES = (
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("on", "off"),
    ("true", "false"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("required", "optional"),
    ("always", "never"),
    ("public", "private"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("before", "after"),
    ("up", "down"),
    ("pass", "fail"),
    ("passes", "fails"),
    ("open", "closed"),
    ("increase", "decrease"),
    ("add", "remove"),
    ("supported", "unsupported"),
    ("safe", "unsafe"),
    ("stateless", "stateful"),
    ("mutable", "immutable"),
    ("blocking", "nonblocking"),
)
SIDES = {word: (at, side) for at, pair in enumerate(OPPOSITES) for side, word in enumerate(pair)}


class Said(Struct):
    """What a text says: its terms with a word each, figures, sides taken of opposites, whether it denies or tells of a change."""

    terms: dict[bytes, str]
    figures: set[str]
    sides: set[tuple[int, int]]
    denies: bool
    changes: bool


class Relation(Struct, frozen=True):
    """`weight` from 0 to 1; the reason in words."""

    type: str
    weight: float
    reason: str


def said(content: str, language: int) -> Said:
    """The reading of one text."""
    found = Said({}, set(), set(), False, False)
    for (word, _, _), term in zip(text.words(content), text.terms(content, language), strict=True):
        if word in NEGATIONS:
            found.denies = True
        elif word in CHANGES:
            found.changes = True
        elif word in SIDES:
            found.sides.add(SIDES[word])
        elif any(letter.isdigit() for letter in word):
            found.figures.add(word)
        elif not text.is_stop(word) and len(word) > 1:
            found.terms.setdefault(term, word)
    folded = text.fold(content)
    found.changes = found.changes or "no longer" in folded or "as of " in folded
    return found


def judge(
    new: Said, old: Said, idf: Mapping[bytes, float], *, same_fact: bool, other_source: bool, nearness: float = NEAR
) -> Relation | None:
    """How the newer stands to the older; None when they have too little in common. `idf` has every term of both."""
    both = new.terms.keys() & old.terms.keys()
    common = weight_of(both, idf)
    of_new, of_old = share(common, weight_of(new.terms, idf)), share(common, weight_of(old.terms, idf))
    union = weight_of(new.terms.keys() | old.terms.keys(), idf)
    about = named(both, new, idf)
    if same_fact or (of_old >= SAME_TOPIC and of_new >= SAME_TOPIC * 0.8 and len(both) > 1):
        differs = difference(new, old)
        if differs and new.changes:
            return Relation("outdates", rounded(of_old, 0.3), f"newer, tells of a change; {differs}")
        if differs:
            return Relation("contradicts", rounded(of_old, 0.3), differs)
        if new.changes and not old.changes and (same_fact or of_old < COVERED):
            return Relation("outdates", rounded(of_old, 0.1), f"newer, tells of a change{about}")
        if same_fact and of_old < COVERED:
            return Relation("contradicts", rounded(of_old, 0.1), "says something else under the same fact key")
        if of_old >= COVERED and of_new >= COVERED:
            return Relation("supports" if other_source else "related", rounded(min(of_old, of_new)), f"says nearly the same{about}")
        if of_old >= COVERED:
            return Relation("refines", rounded(of_old), f"says it and more{about}")
    rare = [term for term in both if idf[term] >= RARE]
    if share(common, union) >= nearness or len(rare) >= SHARED:
        return Relation("related", rounded(share(common, union)), f"shares words{about}")
    return None


def difference(new: Said, old: Said) -> str:
    """Where two texts about the same say something else; "" if nowhere."""
    for pair, side in sorted(new.sides):
        if (pair, 1 - side) in old.sides and (pair, side) not in old.sides:
            return f"{OPPOSITES[pair][side]} against {OPPOSITES[pair][1 - side]}"
    mine, theirs = sorted(new.figures - old.figures), sorted(old.figures - new.figures)
    if mine and theirs:
        return f"{', '.join(mine[:NAMED])} against {', '.join(theirs[:NAMED])}"
    if new.denies != old.denies:
        return "one denies what the other says"
    return ""


def weight_of(terms: Iterable[bytes], idf: Mapping[bytes, float]) -> float:
    return sum(idf[term] for term in sorted(terms))  # in one order: a sum of floats depends on it


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def rounded(share: float, more: float = 0.0) -> float:
    return round(min(share * (1.0 - more) + more, 1.0), 3)


def named(terms: Set[bytes], of: Said, idf: Mapping[bytes, float]) -> str:
    """The rarest of the terms as words."""
    best = sorted(terms, key=lambda term: (-idf[term], term))[:NAMED]
    return f": {', '.join(of.terms[term] for term in best)}" if best else ""
