"""Makes the replay's fixture, three days of sessions as hooks see them: `python -m bench.replay.make`. Run once; its two files are frozen.

Every labelled prompt of bench/relevance occurs once, between prompts of everyday work. A host that is wired twice fires twice within a
second under one session id.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from bench.relevance.battery import Prompt, memories, prompts
from bench.replay.fixture import FOLDER, Event, Turn

TAIL = 8  # turns that a host sends again before a compaction and at the end
# (session, host, second wiring, start, turns, compaction after turn, resumed on the next day after turn, cleared after turn)
SESSIONS = (
    ("cc-ledger-1", "claude-code", "cursor", "2026-06-08T07:05:00", 24, 13, 18, None),
    ("cc-harbor-1", "claude-code", None, "2026-06-08T08:40:00", 18, None, None, 9),
    ("cx-tidepool-1", "codex", None, "2026-06-08T09:10:00", 19, None, 10, None),
    ("oc-raven-1", "opencode", None, "2026-06-08T12:20:00", 17, 11, None, None),
    ("cu-grove-1", "cursor", "claude-code", "2026-06-08T13:30:00", 16, None, None, None),
    ("ge-quill-1", "gemini-cli", None, "2026-06-09T07:00:00", 14, None, None, None),
    ("cc-ember-1", "claude-code", "copilot-cli", "2026-06-09T08:15:00", 21, 12, None, None),
    ("cp-mixed-1", "copilot-cli", None, "2026-06-09T11:45:00", 13, None, None, None),
    ("oc-harbor-2", "opencode", None, "2026-06-09T12:50:00", 18, None, 9, None),
    ("cx-mixed-2", "codex", None, "2026-06-10T07:10:00", 18, 10, None, None),
    ("cu-mixed-3", "cursor", "claude-code", "2026-06-10T08:25:00", 17, None, None, 10),
    ("cc-mixed-4", "claude-code", None, "2026-06-10T12:15:00", 19, 9, None, None),
)
FROZEN = {"opencode"}
Made = tuple[list[Event], list[Turn]]
WORK = """Continue
ok, go on
run the tests again
yes, do it
commit this
fix the remaining type errors
looks good, next
add a test for the empty case
please continue
the second test still fails
split this function, it is too long
can you explain the last change?
rename the helper and update its callers
also handle the timeout
undo the last edit
push the branch and open a pull request
write the description of the pull request
why is this slow?
use the same pattern as in the other handler
remove the debug output
what is left to do?
make the log line shorter
thanks. now the documentation
check the error path too
is this safe with two processes?
simplify the condition in the loop
move the constants to the top of the file
show me the diff
<system-reminder>The file was changed by the user since you read it.</system-reminder>
that broke the build, repair it""".split("\n")
DID = """I changed {file} and kept the public names as they were.
The failing case was an empty list in {file}; it returns early now.
I ran the suite of {area}: {n} tests pass, none is skipped.
The type checker is content with {file} again after two casts went away.
I read {file} first and found that the caller already validates the value.
The new function has {m} lines and no branch that the tests don't reach.
I moved the retry into one place, {file}, since three callers had their own.
The log line has the id and the duration now, nothing else.
The branch is pushed and the pull request describes the reason in two paragraphs.
I measured before and after on {area}: {n} ms became {m} ms, median of five runs.
The constant lives at the top of {file} with its unit in the comment.
Two processes can't meet there because the row is locked until the commit.
What remains is the documentation of {area} and one review comment.
I left the older spelling as an alias so that nothing outside breaks.
The condition had three negations; it says what is allowed now.
The diff is {n} lines, most of them tests.
The timeout is {m} seconds and comes from the settings of {area}.
I could not reproduce the second failure in {m} attempts; the log of the first is attached to the ticket.
The build was broken by an import in {file} that formatting had moved.
I removed the debug output and the flag that switched it on.""".split("\n")
FILES = (
    "store.go handler.go worker.py loader.py radio.c payload.c berth.tsx sync.ts search.py index.py main.tf layout.astro routes.go".split()
)
AREAS = "payouts sync loaders search firmware docs gateway billing deployment tides".split()


def answer(asked: Prompt | None, texts: dict[str, str], chance: random.Random) -> str:
    """What the agent said at the end of a turn; it leans on the memory where there is one."""
    lines = [
        line.format(file=chance.choice(FILES), area=chance.choice(AREAS), n=chance.randint(12, 480), m=chance.randint(2, 60))
        for line in chance.sample(DID, chance.randint(3, 6))
    ]
    if asked is not None and asked.gold:
        known = " ".join(texts[asked.gold[0]].replace("[user] ", "").replace("[assistant] ", "").split())
        lines.insert(0, f"From the project's notes: {known[:240].rsplit(' ', 1)[0]}.")
    return " ".join(lines)


def asked_in(chance: random.Random) -> list[list[Prompt | str]]:
    """Prompts per session: the labelled ones dealt out, everyday ones between them; a follow-up keeps what it follows."""
    labelled = prompts()
    chance.shuffle(labelled)
    share = [labelled[at :: len(SESSIONS)] for at in range(len(SESSIONS))]
    dealt: list[list[Prompt | str]] = []
    for (_, _, _, _, turns, *_), own in zip(SESSIONS, share, strict=True):
        mixed: list[Prompt | str] = [*own, *(chance.choice(WORK) for _ in range(turns - len(own)))]
        chance.shuffle(mixed)
        dealt.append(mixed)
    return dealt


def session(plan: tuple[object, ...], asked: list[Prompt | str], texts: dict[str, str], chance: random.Random) -> Made:
    """The events and turns of one session."""
    name, host, twin, start, _, compacted, resumed, cleared = plan
    now = datetime.fromisoformat(str(start)).replace(tzinfo=UTC)
    fired: list[Event] = []
    turns: list[Turn] = []

    def fire(event: str, **more: Any) -> None:
        for wired, delay in ((host, 0), (twin, 400)):
            if wired:
                at = stamp(now + timedelta(milliseconds=delay))
                fired.append(Event(at=at, host=str(wired), session=str(name), event=event, frozen=host in FROZEN, **more))

    said = ""
    fire("session-start", source="startup")
    for number, prompt in enumerate(asked, 1):
        now += timedelta(seconds=chance.randint(20, 90))
        labelled = prompt if isinstance(prompt, Prompt) else None
        text = labelled.prompt if labelled else str(prompt)
        previous = (labelled.previous if labelled else None) or said or None
        fire("prompt", prompt=text, previous=previous, label=labelled.id if labelled else None)
        asked_at, now = now, now + timedelta(seconds=chance.randint(40, 300))
        said = answer(labelled, texts, chance)
        turns.append(Turn(session=str(name), index=number - 1, at=stamp(asked_at), user=text, assistant=said))
        if number % 11 != 5:  # there the host died before its hook ran: a later event brings the turn, or none
            fire("stop", turns=[number - 1], half=number % 11 == 8)  # fired before the last words were written
        sent = list(range(max(0, number - TAIL), number))
        if number == compacted:
            now += timedelta(seconds=2)
            fire("pre-compact", turns=sent)
            now += timedelta(seconds=35)
            fire("session-start", source="compact")
        if number == cleared:
            now += timedelta(seconds=5)
            fire("session-start", source="clear")
        if number == resumed:
            fire("session-end", turns=sent)
            now += timedelta(hours=chance.randint(17, 21))
            fire("session-start", source="resume")
    now += timedelta(seconds=30)
    fire("session-end", turns=list(range(max(0, len(turns) - TAIL), len(turns))))
    return fired, turns


def stamp(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    chance = random.Random(20260608)
    texts = {memory.key: memory.text for memory in memories()}
    made = [session(plan, asked, texts, chance) for plan, asked in zip(SESSIONS, asked_in(chance), strict=True)]
    events = sorted([event for fired, _ in made for event in fired], key=lambda event: event.at)
    turns = [turn for _, said in made for turn in said]
    for name, rows in (("events", events), ("turns", turns)):
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


if __name__ == "__main__":
    main()
