"""One request under way: who asked, what the handler sees of it, and its course from the first step to the answer.

Made by dispatch.py, advanced by what carries the messages.
"""

from __future__ import annotations

import os

from memory_wire.mcp import eras, rpc
from memory_wire.mcp.rpc import INTERNAL, PARAMS, RESOURCE, Fault
from memory_wire.mcp.steps import Ask, Hold, Notify, Run, Send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.mcp.dispatch import Dispatcher
    from memory_wire.mcp.rpc import Id, Json
    from memory_wire.mcp.steps import Work


class Peer:
    """Whom a carrier speaks with and what was settled: one for a stdio process, one for each HTTP request.

    `bank` is the default bank, `pinned` says that no other may be named. `tools` names the tool set they are shown, `project` is theirs.
    """

    __slots__ = ("bank", "key", "level", "modern", "pinned", "project", "tasks", "tools", "unsettled", "version")

    def __init__(
        self, bank: str, pinned: bool = False, tools: str = "", version: str = "", modern: bool = False, unsettled: bool = False
    ) -> None:
        self.bank = bank
        self.pinned = pinned
        self.tools = tools
        self.version = version  # legacy version that was settled, or that a header names
        self.modern = modern  # a header says that every message is modern
        self.unsettled = unsettled  # no header says anything, which is what a 2025-03-26 client does
        self.level = "info"
        self.project = ""
        self.key: str | None = None  # makes the calls of this request safe to repeat
        self.tasks: dict[Id, Task] = {}  # under way, for carriers that can cancel by id

    @property
    def batches(self) -> bool:
        """Whether they may send several messages in one array."""
        return self.version == eras.BATCHES or self.unsettled


class Context:
    """One request, as its handler sees it."""

    __slots__ = ("capabilities", "id", "meta", "method", "modern", "params", "peer", "version")

    def __init__(self, peer: Peer, number: Id, method: str, params: Json) -> None:
        self.peer = peer
        self.id = number
        self.method = method
        self.params = params
        self.meta = eras.meta_of(params)
        self.modern = peer.modern or eras.is_modern(self.meta)
        self.version = eras.check_modern(self.meta) if self.modern else peer.version or eras.NEWEST
        declared = self.meta.get(eras.META_CAPABILITIES)
        self.capabilities: Json = declared if isinstance(declared, dict) else {}

    def need(self, **capabilities: Json) -> None:
        """Raises Fault when a modern client hasn't declared a capability."""
        if self.modern and not capabilities.keys() <= self.capabilities.keys():
            raise Fault(rpc.CAPABILITY, "a client capability is missing", {"requiredCapabilities": capabilities})

    def missing(self, message: str, uri: str) -> Fault:
        """The fault for a resource that isn't there."""
        return Fault(PARAMS if self.modern else RESOURCE, message, {"uri": uri})


class Task:
    """One request under way. `answer` is there when `advance` has given None; empty after a cancellation.

    `resume` is the carrier's: called when a step that waits (Hold, a Send that is answered) has what it waited for.
    """

    __slots__ = ("answer", "cancelled", "context", "dispatcher", "fault", "resume", "work")

    def __init__(self, dispatcher: Dispatcher, context: Context | None) -> None:
        self.dispatcher = dispatcher
        self.context = context
        self.work: Work | None = None
        self.answer = b""
        self.fault: Fault | None = None
        self.cancelled = False
        self.resume: Callable[[Task, object], None] = ignore

    @property
    def done(self) -> bool:
        return self.work is None

    def advance(self, given: object = None) -> Run | Send | Hold | None:
        """Goes on with what the last step was waiting for, an exception being raised there, to the next step or the answer."""
        work = self.work
        if work is None:
            return None
        if self.cancelled:
            self.close()
            return None
        try:
            while True:
                step = work.throw(given) if isinstance(given, Exception) else work.send(given)
                given = None
                if isinstance(step, Notify):
                    data = self.heard(step)
                    if data:
                        return Send(data)
                elif isinstance(step, Ask):
                    return self.asked(step)
                else:
                    return step
        except StopIteration as end:
            self.finish(end.value)
        except Exception as error:
            self.refuse(error)
        return None

    def heard(self, step: Notify) -> bytes:
        """The notification's bytes; none when the client hasn't asked for such."""
        context = self.context
        assert context is not None
        params = step.params
        if step.method == "notifications/progress":
            token = context.meta.get("progressToken")
            if token is None:
                return b""
            params = {"progressToken": token, **params}
        elif step.method == "notifications/message":
            least = context.meta.get(eras.META_LEVEL) if context.modern else context.peer.level
            level = params.get("level")
            if least not in eras.LEVELS or level not in eras.LEVELS or eras.LEVELS.index(str(level)) < eras.LEVELS.index(str(least)):
                return b""
        return rpc.notification(step.method, params)

    def asked(self, step: Ask) -> Send:
        """The request to the client, under an id that nobody guesses."""
        number = os.urandom(16).hex()
        self.dispatcher.asked[number] = self
        return Send(rpc.request(number, step.method, step.params), answer_to=number)

    def finish(self, result: object) -> None:
        """Sets the answer that a handler's result makes."""
        self.work = None
        context = self.context
        assert context is not None
        if not isinstance(result, dict):
            self.refuse(TypeError(f"{context.method} gave {type(result).__name__}"))
            return
        if context.modern:
            result = eras.stamp(result, context.method, self.dispatcher.provider.info)
        else:
            result = eras.fitted(result, context.method, context.version)
        try:
            self.answer = rpc.result(context.id, result)
        except (TypeError, ValueError) as error:
            self.refuse(error)

    def refuse(self, error: Exception) -> None:
        """Sets the answer that an error makes; what nobody expected is told to the carrier, not to the client."""
        self.work = None
        context = self.context
        if not isinstance(error, Fault):
            self.dispatcher.lost(error)
            error = Fault(INTERNAL, "internal error")
        if context is not None and context.modern:
            error.status = eras.STATUS.get(error.code, 200)
        self.fault = error
        self.answer = rpc.error(context.id if context is not None else None, error)

    def cancel(self) -> None:
        """Nothing will be answered. A handler that waits is ended at once, one that runs at its next step."""
        self.cancelled = True
        self.resume(self, None)

    def close(self) -> None:
        """Ends the handler where it stands."""
        work, self.work = self.work, None
        self.answer = b""
        if work is not None:
            work.close()
        asked = self.dispatcher.asked
        for number in [number for number, task in list(asked.items()) if task is self]:
            del asked[number]


class Batch(Task):
    """Several requests in one message (2025-03-26 only), answered one after the other in one array."""

    __slots__ = ("answers", "current", "rest")

    def __init__(self, dispatcher: Dispatcher, tasks: list[Task]) -> None:
        super().__init__(dispatcher, None)
        self.rest = tasks
        self.answers: list[bytes] = []
        self.current = Task(dispatcher, None)

    @property
    def done(self) -> bool:
        return not self.rest and self.current.done

    def advance(self, given: object = None) -> Run | Send | Hold | None:
        if self.cancelled:
            self.close()
            return None
        while True:
            step = self.current.advance(given)
            given = None
            if step is not None:
                return step
            if self.current.answer:
                self.answers.append(self.current.answer)
            if not self.rest:
                break
            self.current = self.rest.pop(0)
            self.current.resume = lambda task, value: self.resume(self, value)
        self.answer = b"[%b]" % b",".join(self.answers)
        return None

    def close(self) -> None:
        self.rest = []
        self.answer = b""
        self.current.close()


def ignore(task: Task, value: object) -> None:
    """Nobody waits."""
