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
MOVED = 0.4  # the same where the newer one tells of a change
ALIKE = 0.6  # the same where it takes the other side, of the older; ALIKE_NEW of itself: a longer text is about more
ALIKE_NEW = 0.5
COVERED = 0.8  # share from which one counts as said by the other
SAYING = 6.0  # idf of what both say, from which the longer one refines the shorter: two rare words
NEAR = 0.2  # share of what both say, in all that they say, from which they are related
SHARED = 2  # rare words that make records related by themselves
RARE = 3.0  # idf of such a word: natural logarithm, about one passage in twenty
NAMED = 3  # words shown in a reason

NEGATIONS = frozenset("not never no none neither nor without cannot cant dont doesnt didnt isnt arent wasnt wont shouldnt mustnt".split())
MODAL = frozenset("must may might should shall can could will would has have".split())  # how sure or when, not what about
DENIED = 3  # words behind a negation that it is about
NAMERS = frozenset(
    "incident ticket issue bug release version build pr commit sprint phase step chapter case adr rfc task order run experiment".split()
)  # a figure behind one of these is a name: records of two incidents don't contradict each other
JOINTS = frozenset(".:-/,")  # between figures that are one: 3.11, 2026-03-01
CHANGES = frozenset(
    "now instead replaced replaces replacing renamed moved switched migrated deprecated superseded obsolete dropped anymore formerly"
    " previously changed upgraded retired stopped".split()
)
TURNS = ("no longer", "as of ", "took over", "taken over")
OPPOSITES = (
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("true", "false"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("required", "optional"),
    ("always", "never"),
    ("public", "private"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("before", "after"),
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
    """What a text says: its terms with a word each, terms that it denies, words that tell of a change, sides taken of opposites.

    `figures` have the words before and behind them, `names` are figures that name something.
    """

    terms: dict[bytes, str]
    denied: set[bytes]
    changes: set[str]
    sides: set[tuple[int, int]]
    figures: dict[str, tuple[str, str]]
    names: dict[str, set[str]]


class Relation(Struct, frozen=True):
    """`weight` from 0 to 1; the reason in words."""

    type: str
    weight: float
    reason: str


def said(content: str, language: int) -> Said:
    """The reading of one text."""
    found = Said({}, set(), set(), set(), {}, {})
    words, terms = text.words(content), text.terms(content, language)
    denying = 0
    for (word, _, _), term in zip(words, terms, strict=True):
        denying -= 1
        if word in NEGATIONS:
            denying = DENIED
        if word in CHANGES:
            found.changes.add(word)
        elif word in SIDES:
            found.sides.add(SIDES[word])
        elif not is_figure(word) and word not in NEGATIONS and word not in MODAL and not text.is_stop(word) and len(word) > 1:
            found.terms.setdefault(term, word)
            if denying >= 0:
                found.denied.add(term)
    folded = text.fold(content)
    found.changes.update(phrase.strip() for phrase in TURNS if phrase in folded)
    read_figures(found, content, words)
    return found


def is_figure(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def read_figures(found: Said, content: str, words: list[tuple[str, int, int]]) -> None:
    """The figures with their neighbours; those that only a joint divides are one."""
    at = 0
    while at < len(words):
        if not is_figure(words[at][0]):
            at += 1
            continue
        end = at + 1
        while end < len(words) and is_figure(words[end][0]) and content[words[end - 1][2] : words[end][1]] in JOINTS:
            end += 1
        figure = content[words[at][1] : words[end - 1][2]]
        before, behind = words[at - 1][0] if at else "", words[end][0] if end < len(words) else ""
        if before in NAMERS:
            found.names.setdefault(before, set()).add(figure)
        else:
            found.figures.setdefault(figure, (before, behind))
        at = end


def judge(new: Said, old: Said, idf: Mapping[bytes, float], *, same_fact: bool, other_source: bool) -> Relation | None:
    """How the newer stands to the older; None when they have too little in common. `idf` has every term of both."""
    both = new.terms.keys() & old.terms.keys()
    common = weight_of(both, idf)
    of_new, of_old = share(common, weight_of(new.terms, idf)), share(common, weight_of(old.terms, idf))
    about = named(both, new, idf)
    if same_fact or (len(both) > 1 and not of_others(new, old)):
        relation = strong(new, old, of_new, of_old, common, same_fact)
        if relation is not None and (relation[0] != "supports" or other_source):
            type, weight, reason = relation
            return Relation(type, weight, f"{reason}{about}")
    near = share(common, weight_of(new.terms.keys() | old.terms.keys(), idf))
    if near >= NEAR or sum(idf[term] >= RARE for term in both) >= SHARED:
        return Relation("related", rounded(near), f"shares words{about}")
    return None


def strong(new: Said, old: Said, of_new: float, of_old: float, common: float, same_fact: bool) -> tuple[str, float, str] | None:
    """(type, weight, reason) of more than being related; shares are of what each says and the other says as well."""
    changes = sorted(new.changes - old.changes)
    differs = difference(new, old) if same_fact or (of_old >= SAME_TOPIC and of_new >= SAME_TOPIC * 0.8) else ""
    if not differs and (same_fact or (of_old >= ALIKE and of_new >= ALIKE_NEW)):
        differs = other_side(new, old)
    if changes and (differs or same_fact or (of_old >= MOVED and of_new >= MOVED)):
        return "outdates", rounded(of_old, 0.3 if differs else 0.1), f"newer, says {changes[0]!r}"
    if differs:
        return None if not same_fact and of_something_else(new, old) else ("contradicts", rounded(of_old, 0.3), differs)
    if same_fact and of_old < COVERED:
        return "contradicts", rounded(of_old, 0.1), "says something else under the same fact key"
    if of_old < COVERED or old.figures.keys() - new.figures.keys():
        return None
    if of_new >= COVERED:
        return "supports", rounded(min(of_old, of_new)), "says nearly the same"
    return ("refines", rounded(of_old), "says it and more") if common >= SAYING else None


def of_others(new: Said, old: Said) -> bool:
    """Whether they name different ones of a kind: two incidents, two releases."""
    return any(old.names.get(kind) and not names & old.names[kind] for kind, names in new.names.items())


def of_something_else(new: Said, old: Said) -> bool:
    """Whether each has words that the other has not, beside units of figures: one cluster's keys are not the other one's."""
    units = {around[1] for one in (new, old) for around in one.figures.values()}
    return all(
        any(word not in units for term, word in one.terms.items() if term not in other.terms) for one, other in ((new, old), (old, new))
    )


def difference(new: Said, old: Said) -> str:
    """Figures that differ in the same place; "" if none do."""
    for mine, (before, behind) in new.figures.items():
        if mine in old.figures:
            continue
        for theirs, around in old.figures.items():
            if theirs not in new.figures and ((before and before == around[0]) or (behind and behind == around[1])):
                return f"{mine} against {theirs}"
    return ""


def other_side(new: Said, old: Said) -> str:
    """Where one takes the opposite side or denies what the other says; "" if nowhere."""
    for pair, side in sorted(new.sides):
        if (pair, 1 - side) in old.sides and (pair, side) not in old.sides:
            return f"{OPPOSITES[pair][side]} against {OPPOSITES[pair][1 - side]}"
    for denying, saying in ((new, old), (old, new)):
        denied = sorted((denying.denied - saying.denied) & saying.terms.keys())
        if denied and not saying.denied:
            return f"one denies what the other says: {denying.terms[denied[0]]}"
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
