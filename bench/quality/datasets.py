"""Public data as banks of memories with questions and gold. Files are read from the data folder given on the command line."""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

CONVERSATIONS = (26, 30, 41, 42, 43, 44, 47, 48, 49, 50)


@dataclass
class Memory:
    """One retain: `key` is the name that gold refers to."""

    key: str
    content: str
    created_at: str | None = None
    session: str | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Question:
    text: str
    gold: set[str]
    category: str


@dataclass
class Bank:
    name: str
    memories: list[Memory]
    questions: list[Question]


@dataclass
class Turn:
    id: str
    line: str


@dataclass
class Conversation:
    number: int
    sessions: list[tuple[str, str, list[Turn]]]  # (id, date, turns)
    questions: list[tuple[str, list[str], int]]  # (text, evidence turn ids, category)


def conversations(data: Path) -> list[Conversation]:
    """The ten LoCoMo conversations; captions are part of a turn's text."""
    found = []
    with zipfile.ZipFile(data / "locomo" / "locomo10.zip") as archive:
        for number in CONVERSATIONS:
            raw = json.loads(archive.read(f"data/multimodal_dialog/locomo10_v2/{number}.json"))
            sessions = []
            for i in range(1, 60):
                turns = raw.get(f"session_{i}")
                if turns:
                    date = datetime.strptime(raw[f"session_{i}_date_time"], "%I:%M %p on %d %B, %Y")
                    sessions.append((f"D{i}", f"{date:%Y-%m-%dT%H:%M:%SZ}", [Turn(turn["dia_id"], line_of(turn)) for turn in turns]))
            questions = [(item["question"], item.get("evidence", []), item["category"]) for item in raw["qa"]]
            found.append(Conversation(number, sessions, questions))
    return found


def line_of(turn: dict[str, str]) -> str:
    """`speaker: text`, with the image's caption when there is one."""
    text, caption = turn.get("text", "").strip(), turn.get("blip_caption", "").strip()
    image = f" [image: {caption}]" if caption else "" if text else " [image: no caption]"
    return f"{turn['speaker']}: {text}{image}"


def questions_of(talk: Conversation, key: dict[str, str]) -> list[Question]:
    """Questions of categories 1 to 4 whose evidence names turns exactly; gold is the memory that holds the turn."""
    found = []
    for text, evidence, category in talk.questions:
        gold = {key[turn] for turn in evidence if turn in key}
        if category in (1, 2, 3, 4) and gold:
            found.append(Question(text, gold, str(category)))
    return found


def locomo_session(data: Path, dates: bool = True) -> list[Bank]:
    """One memory a session, one bank a conversation: 1,531 questions; written in text order of the ids, as the published file has them."""
    return [
        Bank(
            f"conv-{talk.number}",
            [
                Memory(name, "\n".join(turn.line for turn in turns), date if dates else None)
                for name, date, turns in sorted(talk.sessions, key=lambda s: s[0])
            ],
            questions_of(talk, {turn.id: name for name, _, turns in talk.sessions for turn in turns}),
        )
        for talk in conversations(data)
    ]


def locomo_turn(data: Path) -> list[Bank]:
    """One memory a turn, with its session and date."""
    return [
        Bank(
            f"conv-{talk.number}",
            [Memory(turn.id, turn.line, date, name) for name, date, turns in talk.sessions for turn in turns],
            questions_of(talk, {turn.id: turn.id for _, _, turns in talk.sessions for turn in turns}),
        )
        for talk in conversations(data)
    ]


def locomo_merged(data: Path) -> list[Bank]:
    """The session run with all ten conversations in one bank."""
    merged = Bank("merged", [], [])
    for bank in locomo_session(data):
        prefix = f"{bank.name}/"
        merged.memories += [Memory(prefix + m.key, m.content, m.created_at) for m in bank.memories]
        merged.questions += [Question(q.text, {prefix + key for key in q.gold}, q.category) for q in bank.questions]
    return [merged]


def locomo_mixed(data: Path) -> list[Bank]:
    """Odd sessions whole, even sessions as lone turns without a session."""
    banks = []
    for talk in conversations(data):
        memories, key = [], {}
        for i, (name, date, turns) in enumerate(talk.sessions, 1):
            whole = i % 2 == 1
            if whole:
                memories.append(Memory(name, "\n".join(turn.line for turn in turns), date))
            for turn in turns:
                key[turn.id] = name if whole else turn.id
                if not whole:
                    memories.append(Memory(turn.id, turn.line, date))
        banks.append(Bank(f"conv-{talk.number}", memories, questions_of(talk, key)))
    return banks


def unanswerable(data: Path) -> list[Bank]:
    """The session run with LoCoMo's category 5 questions, which the conversation does not answer."""
    banks = locomo_session(data)
    for bank, talk in zip(banks, conversations(data), strict=True):
        bank.questions = [Question(text, set(), "5") for text, _, category in talk.questions if category == 5]
    return banks


def typos(banks: list[Bank], seed: int) -> list[Bank]:
    """The banks with one random edit in one content word (four letters or more) of each question."""
    chance = random.Random(seed)
    return [Bank(b.name, b.memories, [Question(mistype(q.text, chance), q.gold, q.category) for q in b.questions]) for b in banks]


def mistype(text: str, chance: random.Random) -> str:
    """One deletion, insertion, substitution or swap inside one word."""
    words = [match for match in re.finditer(r"[A-Za-z]{4,}", text) if match[0].lower() not in FUNCTION_WORDS]
    if not words:
        return text
    word = chance.choice(words)
    at, kind, letter = chance.randrange(1, len(word[0])), chance.randrange(4), chance.choice("abcdefghijklmnopqrstuvwxyz")
    old = word[0]
    new = (
        old[:at] + old[at + 1 :],
        old[:at] + letter + old[at:],
        old[:at] + letter + old[at + 1 :],
        old[: at - 1] + old[at] + old[at - 1] + old[at + 1 :],
    )
    return text[: word.start()] + new[kind] + text[word.end() :]


FUNCTION_WORDS = frozenset(
    "what which who whom whose when where why how did does done were been have had can could will would should might with from"
    " that this there about".split()
)


def coding_life(data: Path) -> list[Bank]:
    """Fifteen coding sessions with fifteen questions."""
    sessions = json.loads((data / "coding-life" / "sessions.json").read_text())
    queries = json.loads((data / "coding-life" / "queries.json").read_text())
    memories = [Memory(s["id"], s["content"], s["timestamp"]) for s in sessions]
    return [Bank("coding-life", memories, [Question(q["question"], set(q["goldSessionIds"]), q["type"]) for q in queries])]


def devbench(data: Path) -> list[Bank]:
    """Thirty developer memories; gold is named by tag, negatives have none."""
    raw = json.loads((data / "devbench" / "devbench_dataset.json").read_text())
    memories = [Memory(m["id"], m["content"], m["created_at_iso"], tags=m["tags"]) for m in raw["memories"]]
    return [Bank("devbench", memories, [Question(q["question"], set(q["expected_tags"]), q["category"]) for q in raw["queries"]])]


TOPICS = (  # (four words, name) of the needles
    ("auth jose jwt verification", "auth"),
    ("rate limiting token bucket", "limits"),
    ("vector search pgvector hnsw", "vectors"),
    ("cafeteria menus parking rotations", "office"),
)
FILLERS = (
    "auth uses jose middleware for jwt verification instance {i}",
    "rate limiting via token bucket algorithm instance {i}",
    "vector search uses pgvector hnsw index instance {i}",
    "distractor note {i} about cafeteria menus and parking rotations",
)


def curve(rows: int, seed: int = 42) -> Bank:
    """32 needles with a nonce among distractors, shuffled; the question leaves the instance number out."""
    needles = []
    for k in range(32):
        words, topic = TOPICS[k % 4]
        needles.append((f"needle-{k}", f"{words} nonce-{k} {topic} instance {k}"))
    fillers = [(f"filler-{i}", filler(i)) for i in range(rows - len(needles))]
    everything = needles + fillers
    random.Random(seed).shuffle(everything)
    questions = [Question(text.rsplit(" instance", 1)[0], {key}, "needle") for key, text in needles]
    return Bank(f"curve-{rows}", [Memory(key, text) for key, text in everything], questions)


def filler(i: int) -> str:
    """Row i of the scale sweep."""
    return FILLERS[i % 4].format(i=i)


def sets(data: Path) -> Iterator[tuple[str, list[Bank]]]:
    """Every set of the table, by name."""
    yield "locomo-session", locomo_session(data)
    yield "locomo-session-undated", locomo_session(data, dates=False)
    yield "locomo-turn", locomo_turn(data)
    yield "locomo-merged", locomo_merged(data)
    yield "locomo-mixed", locomo_mixed(data)
    yield "coding-life", coding_life(data)
    yield "devbench", devbench(data)
