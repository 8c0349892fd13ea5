"""Which turns a firing brings: those of the transcript that were not captured yet, completed by what the payload says."""

from __future__ import annotations

from memory_wire import framing
from memory_wire.config import HOOK_TEXT_CHARS
from memory_wire.hooks import tail
from memory_wire.hooks.transcript import Turn, said, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire.hooks.payload import Event
    from memory_wire.hooks.session import Kept

GAP = "\n…\n"


def gather(event: Event, kept: Kept) -> list[Turn]:
    """The answered turns since the last capture, in order; `kept` is moved on behind them, but not saved.

    A question without an answer stays for the next time: hosts write transcripts late.
    """
    found = tail.added(kept.transcript, kept.offset) if kept.transcript else []
    if event.host == "claude-code":  # a forked session repeats another one's lines
        found = [(each, end) for each, end in found if each.session in (None, event.session)]
    while found and found[0][0].role == "assistant" and known(found[0][0].text, kept.answer):
        kept.offset = found.pop(0)[1]
    answered = [end for each, end in found if each.role == "assistant"]
    answer = said("assistant", event.answer) or kept.said
    prompt = kept.prompt or said("user", event.prompt)
    got = list(turns(each for each, _ in found))
    new = bool(answer) and bool(got or prompt or not known(answer, kept.answer))  # else the same firing again
    completed = new and complete(got, prompt, answer)
    if got and not got[-1].assistant:
        got.pop()
    if not got:
        return []
    if len(got) == 1 and not got[0].user:
        got[0].user = prompt
    if completed and found:
        kept.offset = found[-1][1]
    elif answered:
        kept.offset = answered[-1]
    kept.prompt, kept.said, kept.answer = "", "", framing.flat(got[-1].assistant)
    return [Turn(clip(turn.user), clip(turn.assistant), turn.at, turn.index) for turn in got]


def known(text: str, answer: str) -> bool:
    """Whether a message is the end of the answer that was captured last, perhaps before its line was written."""
    return bool(answer) and answer.endswith(framing.flat(text)[-HOOK_TEXT_CHARS:])


def complete(got: list[Turn], prompt: str, answer: str) -> bool:
    """Puts the payload's answer into the last turn, or behind it as one of its own where the transcript hasn't come so far.

    False when the transcript has it already, in the last turn or before a question that came in meanwhile.
    """
    if any(framing.flat(answer) in framing.flat(turn.assistant) for turn in got[-2:]):
        return False
    last = got[-1] if got else None
    behind = last is not None and last.assistant and prompt and framing.flat(prompt) not in framing.flat(last.user)
    if last is None or behind:
        got.append(Turn(prompt, answer, None, len(got)))
    else:
        last.assistant = f"{last.assistant}\n\n{answer}" if last.assistant else answer
    return True


def clip(text: str) -> str:
    """At most so many characters that the server reads: beginning and end of a longer text."""
    if len(text) <= HOOK_TEXT_CHARS:
        return text
    half = HOOK_TEXT_CHARS // 2
    return text[:half] + GAP + text[-half:]
