"""Sessions that agents upload. They are kept beside the memories, never searched."""

from __future__ import annotations

from memory_wire.ops.op import Later, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import sessions as s
else:
    s = Later("sessions")

PLACE = "/v1/sessions"

OPS: tuple[Op, ...] = (
    Op(
        name="put_session",
        request=s.PutSession,
        response=s.SessionRow,
        http=("PUT", PLACE),
        body=True,
        contract=False,
        writes=True,
        summary="Add what a session's file holds from an offset on.",
        errors=("invalid", "offset_mismatch", "session_quota", "forbidden"),
    ),
    Op(
        name="session",
        request=s.OfSession,
        response=s.SessionRow,
        http=("GET", f"{PLACE}/{{id}}"),
        contract=False,
        summary="How far a session was uploaded.",
        errors=("unknown_session",),
    ),
    Op(
        name="session_lines",
        request=s.ReadSession,
        response=s.SessionLines,
        http=("GET", f"{PLACE}/{{id}}/lines"),
        contract=False,
        summary="What was said in an uploaded session.",
        errors=("invalid", "unknown_session"),
    ),
    Op(
        name="sessions",
        request=s.ListSessions,
        response=s.Sessions,
        http=("GET", PLACE),
        contract=False,
        summary="The uploaded sessions of the project.",
        errors=("invalid",),
    ),
    Op(
        name="delete_session",
        request=s.OfSession,
        response=s.SessionDeleted,
        http=("DELETE", f"{PLACE}/{{id}}"),
        contract=False,
        writes=True,
        summary="Delete an uploaded session; deleting what is not there is no error.",
        errors=("forbidden",),
    ),
)
