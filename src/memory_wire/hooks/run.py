"""One firing of a hook, from the bytes on stdin to the bytes on stdout.

`run` does it; `late` gives what is owed when it can't go on: a server that is down or slow, a fault, the end of the time. They may be
called from two threads, so that a firing that hangs can still be finished. Neither writes to the descriptors of the process.
"""

from __future__ import annotations

import time
from _thread import allocate_lock

from memory_wire import framing
from memory_wire.config import CAPTURE_TURNS, HOOK_PREVIOUS_CHARS, HOOK_SECONDS, HOOK_STDIN_SECONDS, SHORT_PROMPT_CHARS
from memory_wire.errors import MemoryWireError, Unauthorized
from memory_wire.hooks import files, firing, payload, session, spool, tail
from memory_wire.hooks.gather import clip, gather
from memory_wire.hooks.output import render, takes
from memory_wire.hooks.server import Server
from memory_wire.hooks.transcript import said
from memory_wire.hooks.values import dumps, text_of, whole
from memory_wire.identity import OUTSIDE, Identity, resolve
from memory_wire.wire import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_wire.hooks.transcript import Turn

RESERVE_SECONDS = 0.25  # of the time are kept for what is owed when the server doesn't answer
SECOND_EVENT = "afterAgentResponse"  # Cursor: says an answer, `stop` follows


class Firing:
    """The hook `name`, fired by the host `given` (None: by hand, plain text) for the bank `flag` or the one of the project."""

    def __init__(self, name: str, given: str | None, flag: str | None, environ: Mapping[str, str], descriptor: int = 0) -> None:
        self.environ, self.flag, self.given, self.descriptor = environ, flag, given, descriptor
        self.begun = time.monotonic()
        self.until = self.begun + HOOK_SECONDS - RESERVE_SECONDS
        self.folder = files.data_folder()
        self.event = payload.Event(name, {}, given, environ)
        self.identity = Identity(OUTSIDE, "none", "")
        self.server = Server(environ, self.folder, self.until)
        self.kept = session.Kept(self.folder, "")
        self.owed: list[list[Turn]] = []  # batches that no server has taken
        self.outcome = self.text = ""
        self.printing = allocate_lock()  # for whoever prints, once

    @property
    def style(self) -> str | None:
        """Whose form the output has."""
        return self.event.host if self.given else None

    def output(self) -> bytes:
        """What to print, whatever stands in the way. Raises only what keeps captures from being kept, like a full disk."""
        try:
            return self.run()
        except Unauthorized as error:
            return self.late(str(error), refused=True)
        except Exception as error:
            return self.late(str(error) or type(error).__name__)
        finally:
            self.server.close()

    def run(self) -> bytes:
        """What to print. Raises what stands in the way, after which `late` says the rest."""
        found = payload.read(self.descriptor, self.begun + HOOK_STDIN_SECONDS)
        self.event = event = payload.Event(self.event.name, found, self.given, self.environ)
        self.identity = resolve(self.flag, self.environ, event.cwd)
        self.kept = session.Kept(self.folder, event.session)
        self.kept.follow(event.transcript)
        if not found and event.name != "session-start":
            return self.done("no input", "")
        if event.name in ("session-start", "prompt"):
            self.text = self.injected()
            if event.name == "session-start":
                self.catch_up()
        else:
            self.catch_up()  # what waits is older
            self.captured()
        return self.done(self.outcome, self.text)

    def late(self, why: str = "not done in time", refused: bool = False) -> bytes:
        """What is owed without the server: the frame of a session, captures to the spool, a started daemon unless one has refused."""
        event, owed = self.event, self.owed
        self.owed = []
        for batch in owed:  # as a plain stop: what a compaction means for the session is over when it arrives
            spool.add(self.folder, self.server.target, self.path("capture"), self.capture("stop", batch))
        if owed:
            self.kept.save()
            return self.done(f"refused, spooled: {why}" if refused else f"spooled: {why}", "")
        outcome = f"refused: {why}" if refused else f"failed: {why}"
        if event.name != "session-start":
            return self.done(outcome, "")
        if not self.text and not refused:
            self.server.start(self.environ, self.folder)
        return self.done(outcome, self.text or framing.session_start(self.identity.bank, url=None))

    # a session's start and its prompts -----------------------------------------------------------------------------------------------

    def injected(self) -> str:
        """The block that the server gives, "" when there is nothing to say, to be asked or to be told."""
        event, kept = self.event, self.kept
        prompt = said("user", event.prompt)
        if event.name == "prompt":
            if not prompt:
                self.outcome = "no prompt"
                return ""
            kept.prompt = clip(prompt)
            kept.save()
        else:
            session.prune(self.folder)
        if not takes(self.style, event):
            self.outcome = "nothing"
            return ""
        if event.name == "session-start" and not self.server.url:
            self.server.start(self.environ, self.folder)
            if self.server.started:
                self.server.appear(self.folder)
        request: dict[str, object] = {"prompt": whole(clip(prompt)) or None, "source": event.source or None}
        if event.name == "prompt" and len(prompt) <= SHORT_PROMPT_CHARS:
            answer = (tail.last_answer(kept.transcript) if kept.transcript else "") or kept.answer
            request["previous"] = whole(framing.flat(answer)[-HOOK_PREVIOUS_CHARS:]) or None
        request["format"] = whole(self.environ.get("MEMORY_WIRE_FORMAT", "")) or None
        if self.server.url.startswith("http:"):
            request["url"] = whole(self.server.url)
        text = text_of(self.server.ask(self.path("inject"), self.body(request)), "text")
        self.outcome = "injected" if text else "nothing"
        return text

    # captures ------------------------------------------------------------------------------------------------------------------------

    def captured(self) -> None:
        """Sends the turns that are new, a batch at a time. What isn't sent is owed; the state is saved last: a kill repeats."""
        event, kept = self.event, self.kept
        if event.active or event.subagent:
            self.outcome = "not ours"
            return
        if event.kind == SECOND_EVENT:
            kept.said = f"{kept.said}\n\n{said('assistant', event.answer)}".strip()
            kept.save()
            self.outcome = "noted"
            return
        turns = gather(event, kept)
        if not event.session:
            turns = turns[-1:]  # nothing remembers how far this transcript was captured
        self.owed = [turns[at : at + CAPTURE_TURNS] for at in range(0, len(turns), CAPTURE_TURNS)]
        self.outcome = "captured" if turns else "nothing"
        if event.name == "pre-compact" and event.session and not turns:  # the server forgets what the session still holds
            self.server.ask(self.path("capture"), self.capture(event.name, []))
        while self.owed:
            self.server.ask(self.path("capture"), self.capture(event.name, self.owed[0]))
            self.owed.pop(0)
        kept.save()

    def catch_up(self) -> None:
        """Delivers what waits in the spool, as far as the time goes. A fault there is none of this firing's, it meets its own."""
        try:
            spool.deliver(self.folder, self.server.target, self.server.deliver, self.until - RESERVE_SECONDS)
        except (MemoryWireError, OSError):
            return

    # both ----------------------------------------------------------------------------------------------------------------------------

    def path(self, operation: str) -> str:
        return f"/v1/banks/{quote(self.identity.bank)}/{operation}"

    def capture(self, name: str, turns: list[Turn]) -> bytes:
        return self.body({"event": name, "reason": self.event.reason or None, "turns": [said_in(turn) for turn in turns]})

    def body(self, more: dict[str, object]) -> bytes:
        """A request with what all have in common; fields without a value are left out."""
        event = self.event
        asked = {"event": event.name, "host": event.host, "session": whole(event.session) or None, "former": self.identity.former}
        return dumps({key: value for key, value in (asked | more).items() if value is not None}).encode("ascii")

    def done(self, outcome: str, text: str) -> bytes:
        """Notes the firing and gives what is printed."""
        if self.event.host in payload.HOSTS:
            firing.write(self.folder, self.event.host, self.event.name, outcome, self.identity.bank, self.event.session)
        return render(self.style, self.event, text)


def said_in(turn: Turn) -> dict[str, object]:
    """A turn as the server takes it."""
    fields = (("user", turn.user), ("assistant", turn.assistant), ("at", turn.at))
    return {name: whole(value) for name, value in fields if value}


def silent(environ: Mapping[str, str]) -> bool:
    """Whether hooks are switched off here, or this one was fired by what a hook started."""
    return environ.get("MEMORY_WIRE_DISABLE", "") not in ("", "0") or bool(environ.get("MEMORY_WIRE_HOOK"))
